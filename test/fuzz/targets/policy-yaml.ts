/** Route tables: a table, or sentences that name key and line; a row that is taken is found by a request of its own path. */
import assert from 'node:assert/strict';
import { compileRouteTable } from '../../../src/access/route-table.ts';
import { makeSample } from '../../../src/access/sample-request.ts';
import { parsePolicy } from '../../../src/config/policy/load-policy.ts';
import type { FuzzTarget } from './target.ts';
import { assertSentences } from './yaml.ts';

export const fuzzTarget: FuzzTarget = {
  outcomes: ['refused', 'taken'],
  longest: 700,
  seeds: [
    'version: 1\nroutes:\n  - { route: "GET /api/x", access: any }\n',
    'version: 1\nextends: frigate\nnvr: "0.18"\nroutes:\n  - route: "GET,POST /api/{camera}/a.{extension}"\n    access: camera\n    cameras: ["path:camera", "query:cameras"]\n    narrow: check\n    verb: history\n    times: [answer]\n',
    'version: 1\nroutes:\n  - { route: "GET /vod/{rest...}", access: admin, note: "x" }\n  - { route: "WS /ws", access: any, narrow: per-message }\n  - { route: "GET /api/exports", access: any, cameras: ["query:camera"], narrow: "rewrite:cameras", answer: array, empty: [] }\n',
    'version: 2\nroutes: []\n',
    'version: 1\nroutes: &a [*a]\n',
  ],
  words: [
    '  - ',
    'route: ',
    'access: ',
    'narrow: ',
    'answer: ',
    'cameras: ',
    '{camera}',
    '{x:number}',
    '{rest...}',
    '"GET /',
    'GET,PUT ',
    'ANY ',
    'WS ',
    'event:path:id',
    'lookup',
    '&a ',
    '*a',
    '!!js/function ',
    '? ',
    '<<: ',
    '|\n',
    '__proto__',
    'null',
  ],
  judge(input) {
    const text = input.toString('utf8');
    const parsed = parsePolicy(text, 'rows.yaml');
    if (!parsed.ok) {
      assertSentences(parsed.error, text);
      return 'refused';
    }
    const table = compileRouteTable(parsed.value.rows);
    for (const row of parsed.value.rows) {
      assert.ok(row.path.startsWith('/') && row.methods.length > 0 && row.line > 0);
      const { segments } = makeSample(row, 'garden');
      for (const method of row.methods) {
        const match = table.match(method === 'ANY' ? 'PUT' : method, segments);
        assert.equal(
          match.kind,
          'listed',
          `no row is found for ${method} /${segments.join('/')}, which is one of ${row.path}`,
        );
      }
    }
    return 'taken';
  },
};
