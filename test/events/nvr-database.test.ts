/** `events.source: nvr-database`: the instance answers from the NVR's own file, opened in place (SPEC 1, 7). */
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { ADMIN_PERSON } from '../support/people.ts';
import { nvrDatabaseFile } from '../support/recorded.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

interface Case {
  readonly n: number;
  readonly role: string;
  readonly path: string;
  readonly query: string;
  readonly expect: { readonly status: number; readonly ids?: readonly string[]; readonly order?: string };
  readonly or?: unknown;
}
interface Golden {
  readonly configured: readonly string[];
  readonly roles: Readonly<Record<string, readonly string[] | null>>;
  readonly cases: readonly Case[];
}
const golden: Golden = JSON.parse(readFileSync(new URL('../data/golden-visible.json', import.meta.url), 'utf8'));
/** A role without cameras cannot be configured. */
const customRoles = Object.entries(golden.roles).filter(([, cameras]) => cameras && cameras.length > 0);
const askers: readonly string[] = ['admin', 'viewer', ...customRoles.map(([role]) => role)];
const PASSWORD = 'GoldenPassw0rd!';

describe("An instance on an NVR's own database", () => {
  const directory = mkdtempSync(join(tmpdir(), 'postern-nvr-'));
  const file = join(directory, 'frigate.db');
  let instance: Runtime;
  const tokens = new Map<string, string>();
  before(async () => {
    copyFileSync(nvrDatabaseFile(), file);
    const people = askers.slice(1).map((role) => ({
      name: `p_${role}`,
      role,
      password: PASSWORD,
    }));
    instance = await startInstance({
      people: [ADMIN_PERSON, ...people],
      config: {
        auth: { hash_iterations: 1000, roles: Object.fromEntries(customRoles) },
        nvr: { cameras: golden.configured },
        events: { source: 'nvr-database', nvr_database: file },
      },
    });
    tokens.set('admin', await instance.logIn(ADMIN_PERSON));
    for (const person of people) tokens.set(person.role, await instance.logIn(person));
  });
  after(async () => {
    await instance.close();
    rmSync(directory, { recursive: true, force: true });
  });

  // All of them, and every page of small ones, are asked of the backend itself: golden.test.ts, every-page.test.ts.
  const asked = golden.cases
    .filter(({ role, expect, or }) => askers.includes(role) && expect.ids && !expect.order && !or)
    .filter((_, at) => at % 10 === 0);
  it(`gives every tenth of the recorded answers through the gate, ${asked.length} of them`, async () => {
    assert.ok(asked.length > 10);
    for (const { n, role, path, query, expect } of asked) {
      const answer = await instance.ask(query ? `${path}?${query}` : path, { token: tokens.get(role) ?? '' });
      assert.equal(answer.status, expect.status, `${n} ${path}?${query}`);
      const rows = (await answer.json()) as { id: string }[];
      assert.deepEqual(
        rows.map(({ id }) => id),
        expect.ids,
        `${n} ${role} ${path}?${query}`,
      );
    }
  });

  for (const sort of ['date_asc', 'date_desc', 'score_asc', 'score_desc', 'speed_asc', 'speed_desc']) {
    it(`gives every event once by Link, sorted by ${sort}`, async () => {
      const ids: string[] = [];
      const token = tokens.get('admin') ?? '';
      let target: string | undefined = `?limit=149&include_thumbnails=0&sort=${sort}`;
      while (target !== undefined) {
        const page = await instance.ask(`/api/events${target}`, { token });
        ids.push(...((await page.json()) as { id: string }[]).map(({ id }) => id));
        target = /<(?<next>[^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.groups?.['next'];
      }
      const nvr = new DatabaseSync(file, { readOnly: true });
      const marks = golden.configured.map(() => '?').join(', ');
      const rows = nvr.prepare(`SELECT id FROM event WHERE camera IN (${marks})`).all(...golden.configured);
      nvr.close();
      assert.equal(ids.length, rows.length);
      assert.deepEqual([...ids].sort(), rows.map(({ id }) => String(id)).sort());
    });
  }

  it('shows what the NVR writes, after it has restarted, vacuumed and changed its tables', async () => {
    const token = tokens.get('admin') ?? '';
    const newest = async () => {
      const answer = await instance.ask('/api/events?limit=1', { token });
      return ((await answer.json()) as { id: string; model_type: string | null }[])[0];
    };
    const steps: [id: string, statement: string][] = [
      ['1900000001.0-first0', 'PRAGMA journal_mode = WAL'],
      ['1900000002.0-vacuum', 'VACUUM'],
      [
        '1900000003.0-rebuilt',
        'CREATE TABLE e2 AS SELECT * FROM event; DROP TABLE event; ALTER TABLE e2 RENAME TO event',
      ],
      ['1900000004.0-smaller', 'ALTER TABLE event DROP COLUMN model_type'],
    ];
    for (const [id, statement] of steps) {
      const nvr = new DatabaseSync(file, { timeout: 5000 });
      nvr.exec(statement);
      nvr.exec(`INSERT INTO event (id, label, camera, start_time, zones, has_clip, has_snapshot, retain_indefinitely, data)
        VALUES ('${id}', 'person', '${golden.configured[0]}', ${Number.parseFloat(id)}, '[]', 1, 1, 0, '{}')`);
      nvr.close();
      assert.equal((await newest())?.id, id, statement);
    }
    assert.equal((await newest())?.model_type, null);
  });

  it('asks for patience while the file is away, and answers from the one that a backup has put in its place', async () => {
    const token = tokens.get('admin') ?? '';
    const newest = async () => {
      const answer = await instance.ask('/api/events?after=1890000000', { token });
      return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: await answer.json() };
    };
    copyFileSync(nvrDatabaseFile(), `${file}.new`);
    const away = () => {
      for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true });
    };
    const unreadable: [sentence: string, put: () => void][] = [
      ['there is none', () => {}],
      ['it is copied and not yet whole', () => writeFileSync(file, readFileSync(`${file}.new`).subarray(0, 50_000))],
      ['it has no events yet', () => new DatabaseSync(file).close()],
    ];
    for (const [sentence, put] of unreadable) {
      away();
      put();
      const message = 'The database that holds the events cannot be read at the moment: try again in a moment.';
      const body = { success: false, message, reason: 'events-unreadable' };
      assert.deepEqual(await newest(), { status: 503, retryAfter: '5', body }, sentence);
    }
    away();
    copyFileSync(`${file}.new`, file);
    assert.deepEqual(await newest(), { status: 200, retryAfter: null, body: [] });
  });
});
