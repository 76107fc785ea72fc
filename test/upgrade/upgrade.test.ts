/** Data directories that released versions left behind, started by the code of today, and the way back (SPEC 1). */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { configSchema } from '../../src/app/resources/features.ts';
import { openForLedger } from '../../src/features/ledger/whole-ledger.ts';
import { movableClock } from '../support/clock.ts';
import { newDirectory, runPostern } from '../support/run-postern.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { readFacts, unpackRelease } from './make-fixture.ts';

const RELEASES = readdirSync(join(import.meta.dirname, 'data'))
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -'.json'.length));
const env = {
  POSTERN__SERVER__EXTERNAL: '127.0.0.1:0',
  POSTERN__SERVER__INTERNAL: 'false',
  POSTERN__SERVER__TELEMETRY: 'false',
};

function copyIn(directory: string): string {
  const found = readdirSync(directory).filter((name) => /^postern\.db\.before-\d{3}-/.test(name));
  assert.equal(found.length, 1, 'one file beside the store');
  return found[0] ?? '';
}

/** What the store of a directory holds of accounts, and which migrations it has. */
function storeIn(directory: string) {
  const file = new DatabaseSync(join(directory, 'postern.db'));
  const rows = (query: string) => file.prepare(query).all();
  const isNow = rows("select name from sqlite_master where name = 'grants'").length > 0;
  const found = [
    rows('select name from kysely_migration order by name'),
    rows('select name, role from users order by name'),
    rows(`select id from ${isNow ? "grants where kind = 'api-token'" : 'api_tokens'} order by id`),
  ];
  file.close();
  return found;
}

const change = (directory: string, text: string): void => {
  const file = new DatabaseSync(join(directory, 'postern.db'));
  file.exec(text);
  file.close();
};

it('There is a data directory of each released version', () => {
  const changelog = readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8');
  const released = [...changelog.matchAll(/^## (?<version>\d+\.\d+\.\d+) /gm)].map(({ groups }) => groups?.['version']);
  assert.deepEqual(RELEASES, released.sort());
});

/** They are started by 0.2.0 first. */
const TOO_OLD = ['0.1.0'];
const STARTED = RELEASES.filter((version) => !TOO_OLD.includes(version));

for (const version of TOO_OLD)
  it(`A data directory of ${version} is refused in words that say the way, and is left as it is`, async () => {
    const directory = newDirectory();
    unpackRelease(version, directory);
    const was = storeIn(directory);
    const refused = await runPostern(['serve'], { directory, env });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /of a version before 0\.2\.0.*Start Postern 0\.2\.0 on it once/);
    assert.deepEqual(storeIn(directory), was);
  });

for (const version of STARTED)
  describe(`A data directory of ${version}`, { timeout: 300_000 }, () => {
    const facts = readFacts(version);
    const directory = newDirectory();
    let runtime: Runtime;
    before(async () => {
      unpackRelease(version, directory);
      const text = readFileSync(join(directory, 'config.yaml'), 'utf8');
      // A minute later: sessions, links and records of the ledger have not ended.
      const clock = movableClock((facts.madeAt + 60) * 1000);
      runtime = await startInstance({ directory, text, clock, people: [], env });
    });
    after(async () => {
      await runtime?.close();
      rmSync(directory, { recursive: true, force: true });
    });
    const ask = (path: string, headers: Record<string, string>): Promise<Response> => runtime.ask(path, { headers });
    const json = async (path: string, headers: Record<string, string>) => {
      const answer = await ask(path, headers);
      assert.equal(answer.status, 200, path);
      return (await answer.json()) as unknown;
    };

    it('lets its users log in with their passwords', async () => {
      for (const [user, password] of Object.entries(facts.passwords)) {
        const body = JSON.stringify({ user, password });
        const headers = { 'Content-Type': 'application/json' };
        assert.equal((await runtime.ask('/api/login', { method: 'POST', headers, body })).status, 200, user);
      }
    });

    it('goes on with their sessions, in their roles', async () => {
      const roles = { admin: 'admin', vera: 'viewer', gustav: 'gardener' };
      for (const [user, role] of Object.entries(roles)) {
        const profile = (await json('/api/profile', { Cookie: facts.sessions[user] ?? '' })) as Record<string, unknown>;
        assert.deepEqual([profile['username'], profile['role']], [user, role]);
      }
    });

    it('takes API tokens, within their cameras', async () => {
      for (const token of Object.values(facts.tokens)) {
        const headers = { Authorization: `Bearer ${token}` };
        assert.equal(((await json('/api/events?cameras=garden', headers)) as unknown[]).length, 1);
      }
      const narrow = { Authorization: `Bearer ${facts.tokens['vera']}` };
      assert.equal((await ask('/api/events?cameras=porch', narrow)).status, 403);
    });

    it('has users, roles and events as they were', async () => {
      for (const [path, was] of Object.entries(facts.answers)) {
        const is = await json(path, { Cookie: facts.sessions['admin'] ?? '' });
        assert.partialDeepStrictEqual(is, withoutLogin(was), path);
        assert.equal((is as unknown[]).length, (was as unknown[]).length, path);
      }
    });

    if (facts.link !== undefined)
      it('shows what its links showed', async () => {
        const page = await ask(facts.link ?? '', {});
        assert.equal(page.status, 200);
        assert.match(await page.text(), /garden/);
      });

    if (facts.ledger !== undefined)
      it('has each record of its ledger, in chains that fit', async () => {
        const ledger = await openForLedger({ directory, schema: configSchema, env, clock: runtime.clock });
        let text = '';
        await ledger.export(
          'ndjson',
          async (lines) => {
            text += lines;
          },
          () => {},
        );
        const { misfits } = await ledger.verify([], () => {});
        await ledger.close();
        assert.deepEqual(misfits, []);
        const lines = text.split('\n');
        for (const record of facts.ledger ?? []) assert.ok(lines.includes(record), record);
      });

    it('was copied before its tables changed, and the log tells where', () => {
      const line = runtime.log.find(({ msg }) => msg === 'the tables of the store are updated');
      assert.equal(line?.['copy'], join(directory, copyIn(directory)));
      assert.match(copyIn(directory), /^postern\.db\.before-0\d\d-[a-z-]+$/);
    });
  });

for (const version of STARTED)
  describe(`The way back to ${version}`, { timeout: 300_000 }, () => {
    it('is the command that a version which is too old names', async () => {
      const directory = newDirectory();
      unpackRelease(version, directory);
      const was = storeIn(directory);
      const listed = await runPostern(['tokens', 'create', 'later'], { directory, env });
      assert.equal(listed.code, 0, listed.stderr);
      assert.notDeepEqual(storeIn(directory), was);
      // This version is too old for the store: what it would say had it been the one before.
      change(directory, "insert into kysely_migration values ('999-later', '2030-01-01T00:00:00.000Z')");
      const refused = await runPostern(['serve'], { directory, env });
      assert.equal(refused.code, 1);
      const copy = join(directory, copyIn(directory));
      const command = `postern restore --replace ${copy}`;
      assert.ok(refused.stderr.includes(`or restore the copy that the update kept: "${command}"`), refused.stderr);
      const restored = await runPostern(['restore', '--replace', copy], { directory, env });
      assert.equal(restored.code, 0, restored.stderr);
      assert.deepEqual(storeIn(directory), was, 'accounts and tables of before');
      assert.ok(readdirSync(directory).includes(copyIn(directory)), 'the copy is kept');
      // An update again works, and removes no store that the restore set aside.
      const again = await runPostern(['users', 'add', 'nina'], {
        directory,
        env,
        stdin: 'CalciumCandle55?\n',
      });
      assert.equal(again.code, 0, again.stderr);
      const aside = readdirSync(directory).filter((name) => /^postern\.db\.before-\d{4}-/.test(name));
      assert.equal(aside.length, 1, readdirSync(directory).join(' '));
    });
  });

/** The time of the last login is that of this test. */
function withoutLogin(answer: unknown): unknown {
  if (!Array.isArray(answer)) return answer;
  return answer.map(({ last_login_at: _, ...rest }) => rest);
}
