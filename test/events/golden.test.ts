/** Questions whose answers were found by another program in another language, over 6,000 recorded events. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { recordedLines } from '../support/recorded.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { makeNvrDatabase } from './support/nvr-file.ts';
import { type Answer, importRecorded, type Runtime, type ServedEvents, serveEvents } from './support/served-events.ts';

interface Expectation {
  readonly status: number;
  readonly names?: readonly string[];
  readonly count?: number;
  readonly ids?: readonly string[];
  readonly sha256?: string;
  readonly order?: 'any' | 'any-within-equal-keys';
  readonly keys?: readonly unknown[];
  readonly records?: readonly Record<string, unknown>[];
  readonly record?: Record<string, unknown>;
  readonly values?: readonly string[];
  /** Of a summary: how many groups, events, and a digest over them. */
  readonly groups?: number;
  readonly total?: number;
  readonly counts?: Readonly<Record<string, number>>;
}

interface Case {
  readonly n: number;
  readonly class: string;
  readonly role: string;
  readonly path: string;
  readonly query: string;
  readonly expect: Expectation;
  readonly or?: readonly Expectation[];
}

interface Golden {
  readonly configured: readonly string[];
  readonly roles: Readonly<Record<string, readonly string[] | null>>;
  readonly cases: readonly Case[];
}

const golden: Golden = JSON.parse(readFileSync(new URL('../data/golden-visible.json', import.meta.url), 'utf8'));

const IN_POSTGRES = 'in PostgreSQL';
let postgres: TestPostgres | undefined;
const inStore = async (instance: Runtime): Promise<ServedEvents> => {
  const served = await serveEvents(instance);
  await importRecorded(served.store);
  return served;
};

/** The same questions to wherever the events may be kept. */
const places: Record<string, (instance: Runtime) => Promise<ServedEvents>> = {
  'in the store': inStore,
  [IN_POSTGRES]: async (instance) => {
    postgres = await startPostgres();
    return inStore({ ...instance, storeUrl: await postgres.newDatabase() });
  },
  "in an NVR's own file": async (instance) => {
    const nvr = await makeNvrDatabase(recordedLines());
    const served = await serveEvents({ ...instance, source: nvr.events });
    return { ...served, close: () => Promise.all([served.close(), nvr.close()]).then(() => undefined) };
  },
};

for (const [place, serve] of Object.entries(places)) {
  const skip = place === IN_POSTGRES && withoutPostgres;
  describe(`The recorded instance ${place}`, { skip }, () => {
    let served: ServedEvents;
    before(async () => {
      served = await serve({ cameras: golden.configured, roles: golden.roles });
    });
    after(async () => {
      await served.close();
      await postgres?.stop();
      postgres = undefined;
    });

    for (const asked of golden.cases) {
      const { n, class: name, role, path, query } = asked;
      it(`${n} ${name} as ${role}: ${path}?${query.slice(0, 80)}`, async () => {
        const answer = await served.ask(query ? `${path}?${query}` : path, { role });
        const faults = [asked.expect, ...(asked.or ?? [])].map((expected) => faultOf(answer, expected));
        assert.ok(faults.includes(undefined), faults.join('\nor: '));
      });
    }
  });
}

/** Undefined when the answer is as expected. */
function faultOf(answer: Answer, expected: Expectation): string | undefined {
  try {
    compare(answer, expected);
    return undefined;
  } catch (fault) {
    return (fault as Error).message;
  }
}

function compare(answer: Answer, expected: Expectation): void {
  assert.equal(answer.status, expected.status, answer.text.slice(0, 300));
  if (expected.status !== 200) {
    for (const name of expected.names ?? []) assert.ok(answer.text.includes(name), `${name} is not named`);
    return;
  }
  const body = answer.json();
  if (expected.values) assert.deepEqual(body, expected.values);
  else if (expected.groups !== undefined) compareGroups(body as SummaryRow[], expected);
  else if (expected.record) compareRecord(body as Record<string, unknown>, expected.record);
  else compareList(body as Record<string, unknown>[], expected);
}

function compareList(events: Record<string, unknown>[], expected: Expectation): void {
  const ids = events.map((event) => event['id'] as string);
  assert.equal(ids.length, expected.count);
  if (expected.ids) compareIds(ids, expected.ids, expected);
  else assert.equal(createHash('sha256').update(ids.join('\n')).digest('hex'), expected.sha256);
  for (const event of events)
    if (expected.counts) assert.equal(event['event_count'], expected.counts[String(event['label'])]);
  expected.records?.forEach((record, at) => {
    compareRecord(events[at] ?? {}, record);
  });
}

interface SummaryRow {
  readonly day: string;
  readonly camera: string;
  readonly label: string;
  readonly sub_label: string | null;
  readonly zones: readonly string[];
  readonly count: number;
}

/** The digest is over Python's JSON: blanks behind commas, and nothing but ASCII. */
const asciiJson = (values: readonly unknown[]): string =>
  `[${values.map((value) => (Array.isArray(value) ? asciiJson(value) : JSON.stringify(value))).join(', ')}]`.replaceAll(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

function compareGroups(rows: SummaryRow[], { groups, total, sha256 }: Expectation): void {
  const days = rows.map(({ day }) => day);
  assert.deepEqual(days, [...days].sort());
  const counts = new Map<string, number>();
  for (const { day, camera, label, sub_label, zones, count } of rows) {
    const key = asciiJson([day, camera, label, sub_label, zones]);
    counts.set(key, (counts.get(key) ?? 0) + count);
  }
  assert.deepEqual([counts.size, rows.reduce((sum, { count }) => sum + count, 0)], [groups, total]);
  const lines = [...counts].map(([key, count]) => `${key} ${count}`).sort();
  assert.equal(createHash('sha256').update(lines.join('\n')).digest('hex'), sha256);
}

/** Where the reference leaves the order of equal keys open, only the keys must stand in order. */
function compareIds(ids: string[], expectedIds: readonly string[], { order, keys = [] }: Expectation): void {
  if (order === undefined) assert.deepEqual(ids, expectedIds);
  assert.deepEqual([...ids].sort(), [...expectedIds].sort());
  if (order !== 'any-within-equal-keys') return;
  const keyOf = new Map(expectedIds.map((id, at) => [id, keys[at]]));
  assert.deepEqual(
    ids.map((id) => keyOf.get(id)),
    keys,
  );
}

function compareRecord(record: Record<string, unknown>, expected: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(expected)) {
    const isNoPicture = name === 'thumbnail' && !record[name] && !value;
    if (!isNoPicture) assert.deepEqual(record[name], value, name);
  }
}
