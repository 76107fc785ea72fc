/** Ids that are more than an id: the NVR writes some of them into a pattern, and a pattern tells of foreign cameras letter by letter (SPEC 5). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { loadPolicy } from '../../src/config/policy/load-policy.ts';
import type { PolicyRow } from '../../src/routes/policy-row.ts';
import { GARDEN } from '../policy/support/two-cameras.ts';
import { startWalkInstance, type WalkInstance } from '../policy/support/walk-instance.ts';

/** GLOB and LIKE, separators of lists and paths, quotes of the JSON that is searched, and what a second decoding would make of them. */
const ODD = [
  '*',
  '%3F',
  '%25',
  '17000000*',
  '170000000[0-9].5-aaaaa1',
  '1700000001.5-aaaaa%3F',
  '1700000001.5-aaaaa1%25',
  '1700000001.5-aaaaa1%22*%22',
  '%22',
  '1700000001.5-aaaaa1,1700000002.5-bbbbb2',
  '..1700000001.5-aaaaa1',
  '1700000001.5-aaaaa1%20',
  '1700000001.5-aaaaa1%2A',
  '%D9%A1700000001.5-aaaaa1',
];

/** As the three releases make them: of events and reviews, of exports, cases and jobs. */
const REAL = [
  '1700000001.5-aaaaa1',
  '1732545123.123456-k3x9qz',
  '1700000001.0-0a1b2c',
  'garden_aaaaa1',
  'front-door_2_x8s0aa',
  'q1w2e3r4t5y6',
  '3f2a9c1e-7b2',
];

const IDS: readonly string[] = ['event', 'review', 'export', 'case'];
const IN_JOBS = /\{(?<name>job)(?::\w+)?\}/;
const PARAMETER = /\{(?<name>\w+)(?::[\w-]+)?(?:\.\.\.)?\}/g;
const FILLED: Readonly<Record<string, string>> = {
  camera: GARDEN.camera,
  extension: 'jpg',
  file: 'index.m3u8',
};

const policy = await loadPolicy('frigate', '.');
assert.ok(policy.kind === 'loaded');
const rows = policy.rows.filter(
  ({ file, access }) => file === 'frigate.yaml' && access !== 'admin' && access !== 'none',
);

const idsIn = (row: PolicyRow, source: string): readonly string[] => {
  const named = (row.cameras ?? [])
    .filter((locator) => locator.source === source && IDS.includes(locator.kind))
    .map(({ name }) => name);
  const job = source === 'path' ? IN_JOBS.exec(row.path)?.groups?.['name'] : undefined;
  return job === undefined ? named : [...named, job];
};
const inPath = rows.flatMap((row) => idsIn(row, 'path').map((name) => ({ row, name })));
const inQuery = rows.flatMap((row) => idsIn(row, 'query').map((name) => ({ row, name })));

const filledPath = (row: PolicyRow, name: string, id: string): string =>
  row.path.replaceAll(PARAMETER, (_, parameter: string) => (parameter === name ? id : (FILLED[parameter] ?? '')));

describe('An id that is more than an id', () => {
  let walk: WalkInstance;
  before(async () => {
    walk = await startWalkInstance([]);
  });
  after(() => walk.close());

  const ask = async (caller: 'viewer' | 'gardener', method: string, target: string, body?: string) => {
    const { status, forwarded } = await walk.ask(caller, { method, target, body });
    // The list of cameras is read now and then; a question about an id would be one too many.
    const seen = walk.nvr.received.map((received) => received.target).filter((path) => path !== '/api/config');
    return { status, seen, forwarded: forwarded.length };
  };

  it('is looked for in every row that names one', () => assert.ok(inPath.length > 18 && inQuery.length === 3));

  for (const { row, name } of inPath) {
    const [method = 'GET'] = row.methods;
    it(`is refused in ${method} ${row.path}, and the NVR is asked nothing`, async () => {
      // A viewer may see every file below /clips, by its path.
      const callers = row.path.startsWith('/clips/') ? (['gardener'] as const) : (['viewer', 'gardener'] as const);
      for (const caller of callers)
        for (const odd of ODD) {
          const { status, seen } = await ask(caller, method, filledPath(row, name, odd));
          assert.ok([400, 403].includes(status), `${caller} ${filledPath(row, name, odd)}: ${status}`);
          assert.deepEqual(seen, [], `${caller} ${filledPath(row, name, odd)}`);
        }
    });
  }

  for (const { row, name } of inQuery)
    it(`is refused in GET ${row.path}?${name}=, also among others`, async () => {
      for (const caller of ['viewer', 'gardener'] as const)
        for (const odd of ODD.filter((id) => !id.includes(',')))
          for (const value of [odd, `${GARDEN.event},${odd}`, `${GARDEN.event}&${name}=${odd}`]) {
            const { status, seen } = await ask(caller, 'GET', `${row.path}?${name}=${value}`);
            assert.equal(status, 422, `${caller} ${row.path}?${name}=${value}`);
            assert.deepEqual(seen, []);
          }
    });

  it('is refused in a body', async () => {
    for (const odd of ODD.map(decodeURIComponent)) {
      const { status, seen } = await ask('gardener', 'POST', '/api/reviews/viewed', JSON.stringify({ ids: [odd] }));
      assert.ok([400, 422].includes(status), `${odd}: ${status}`);
      assert.deepEqual(seen, []);
    }
  });

  // Last: for the ledger the gate asks the NVR about some of these afterwards.
  for (const { row, name } of [...inPath, ...inQuery])
    it(`is told from one that the NVR makes, in ${row.methods} ${row.path} (${name})`, async () => {
      for (const id of REAL) {
        const path = filledPath(row, name, id);
        const target = path.includes(id) ? path : `${path}?${name}=${id}`;
        assert.equal((await ask('viewer', row.methods[0] ?? '', target)).forwarded, 1, id);
      }
    });
});
