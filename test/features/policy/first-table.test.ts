/** The first route table for an NVR that nobody has described yet: `postern policy new` (SPEC 20). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { authorize } from '../../../src/access/authorize.ts';
import { layoutOfNames } from '../../../src/access/recorder-layout.ts';
import { compileRouteTable } from '../../../src/access/route-table.ts';
import { makeSample } from '../../../src/access/sample-request.ts';
import { parsePolicy } from '../../../src/config/policy/load-policy.ts';
import { readYaml } from '../../../src/config/problems/read-yaml.ts';
import type { Caller } from '../../../src/domain/caller.ts';
import { ALL_CAMERAS, scopeOfNames } from '../../../src/domain/camera-scope.ts';
import { ADMIN, type CameraName, type Role, type UserName, VIEWER } from '../../../src/domain/names.ts';
import { firstTable } from '../../../src/features/policy/first-table.ts';
import { type DescribedApi, listOperations } from '../../../src/features/policy/openapi-operations.ts';
import { policyDrift } from '../../../src/features/policy/policy-drift.ts';
import type { PolicyRow } from '../../../src/routes/policy-row.ts';

const DATA = join(import.meta.dirname, '../../data');
const inFile = (name: string, below?: string): DescribedApi =>
  listOperations(JSON.parse(readFileSync(join(DATA, 'openapi', `${name}.json`), 'utf8')), below);

/** Frigate describes its paths without the /api that its web server has before them. */
function frigate(): DescribedApi {
  const yaml = readYaml(readFileSync(join(DATA, 'routes.yaml'), 'utf8'));
  const { api } = (yaml.ok ? yaml.value.tree : assert.fail()) as { api: readonly { m: string; p: string }[] };
  const paths: Record<string, Record<string, object>> = {};
  for (const { m, p } of api) {
    const path = p.slice('/api'.length) || '/';
    paths[path] = { ...paths[path], [m.toLowerCase()]: {} };
  }
  return listOperations({ openapi: '3.1.0', info: { title: 'Frigate', version: '0.18.0' }, paths }, '/api');
}

const rowsOf = (text: string): readonly PolicyRow[] => {
  const table = parsePolicy(text, 'routes.yaml');
  return table.ok ? table.value.rows : assert.fail(JSON.stringify(table.error.slice(0, 3)));
};
const caller = (role: Role, scope: Caller['scope'] = ALL_CAMERAS): Caller => ({
  name: 'somebody' as UserName,
  role,
  scope,
  credential: { kind: 'proxy-headers' },
});
const OTHERS = [
  undefined,
  caller(VIEWER),
  caller('gardener' as Role, scopeOfNames(['garden'])),
  caller(ADMIN, scopeOfNames(['garden'])),
];
const SURROUNDINGS = { layout: layoutOfNames(['garden' as CameraName]), now: 0 };

function assertForAdminsAlone(text: string): void {
  const rows = rowsOf(text);
  const table = compileRouteTable(rows);
  for (const row of rows) {
    const target = makeSample(row, 'garden');
    for (const method of row.methods) {
      const match = table.match(method, target.segments);
      const verdicts = OTHERS.map((other) => authorize(other, match, target, SURROUNDINGS).kind);
      assert.deepEqual([...new Set(verdicts)], ['refused'], `${method} ${row.path}`);
      assert.equal(authorize(caller(ADMIN), match, target, SURROUNDINGS).kind, 'allowed', `${method} ${row.path}`);
    }
  }
}

describe('The first table of', () => {
  // biome-ignore format: a table
  const SERVERS: readonly (readonly [name: string, api: () => DescribedApi, rows: number, proposals: readonly string[]])[] = [
    ['Frigate',             frigate,                                            179, ['path:camera_name']],
    ['go2rtc',              () => inFile('go2rtc-1.9'),                          65, ['stream:query:src']],
    ['MediaMTX',            () => inFile('mediamtx-control'),                    49, ['stream:path:name']],
    ['MediaMTX’s playback', () => inFile('mediamtx-playback', '/playback'),       2, []],
  ];
  for (const [name, api, count, proposals] of SERVERS) {
    it(`${name} has each operation, lets admins alone in, and is known whole by policy diff`, () => {
      const text = firstTable(api());
      assert.equal(rowsOf(text).length, count);
      assertForAdminsAlone(text);
      const { operations, prefix } = api();
      const { unknown, changed, gone } = policyDrift(rowsOf(text), operations, prefix);
      assert.deepEqual([unknown, changed, gone], [[], [], []]);
      for (const proposal of proposals) assert.match(text, new RegExp(`# cameras\\? \\[.*"${proposal}"`));
    });
  }

  it('a server below a prefix has its rows there, and says so', () => {
    const text = firstTable(inFile('mediamtx-playback', '/playback'));
    assert.match(text, /^openapi: \{ below: "\/playback" \}$/m);
    assert.deepEqual(
      rowsOf(text).map(({ path }) => path),
      ['/playback/list', '/playback/get'],
    );
  });

  it('an odd description is accepted by check all the same, whatever stands in it', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('{a}', '{a}{b}', '{', '}', '\n- {}', '#', ': "', '{1}', '...}'),
    );
    const path = fc.array(text, { maxLength: 4 }).map((parts) => `/${parts.join('/')}`);
    const operation = fc.record({
      parameters: fc.array(fc.record({ name: text, in: fc.constantFrom('query', 'path') }), { maxLength: 3 }),
    });
    const description = fc.record({
      openapi: fc.constant('3.1.0'),
      info: fc.record({ title: text, version: text }),
      paths: fc.dictionary(fc.oneof(path, text), fc.record({ get: operation, post: operation }, { requiredKeys: [] }), {
        maxKeys: 6,
      }),
    });
    fc.assert(
      fc.property(description, (odd) => {
        assertForAdminsAlone(firstTable(listOperations(odd)));
      }),
      { numRuns: 100 },
    );
  });
});
