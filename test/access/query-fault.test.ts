/** The parameters that a row takes of all but admins, and times in RFC 3339 (SPEC 5, 13). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { AccessVerdict } from '../../src/access/access-verdict.ts';
import { authorize } from '../../src/access/authorize.ts';
import { layoutOfNames } from '../../src/access/recorder-layout.ts';
import { compileRouteTable } from '../../src/access/route-table.ts';
import { parsePolicy } from '../../src/config/policy/load-policy.ts';
import { ALL_CAMERAS, scopeOfNames } from '../../src/domain/camera-scope.ts';
import { ADMIN, type CameraName, type Role, type UserName } from '../../src/domain/names.ts';

const table = parsePolicy(
  `version: 1
routes:
  - { route: GET /list, access: camera, cameras: ["query:path"], narrow: check, verb: history, times: ["time:query:start"], query: { path!: "text:64", start: time, end: time } }
  - { route: GET /get, access: camera, cameras: ["query:path"], narrow: check, verb: history, times: ["time:query:start!"], query: { path!: "text:64", start!: time, duration!: number, format: "fmp4|mp4", id: id } }
`,
  'a.yaml',
);
assert.ok(table.ok, JSON.stringify(table));
const routes = compileRouteTable(table.value.rows);
const layout = layoutOfNames(['porch', 'garden'] as CameraName[]);
const NOW = Date.parse('2026-06-01T00:00:00Z') / 1000;

function ask(target: string, who: 'admin' | 'porch' | 'recent' = 'porch'): AccessVerdict {
  const [path = '', query = ''] = target.split('?');
  const caller = {
    name: 'somebody' as UserName,
    role: who === 'admin' ? ADMIN : ('porch' as Role),
    scope: who === 'admin' ? ALL_CAMERAS : scopeOfNames(['porch']),
    credential: { kind: 'proxy-headers' },
    ...(who === 'recent' && { history: { seconds: 86_400 } }),
  } as const;
  const segments = path.slice(1).split('/');
  return authorize(caller, routes.match('GET', segments), { path, segments, query }, { layout, now: NOW });
}

/** What is sent, or why it is not. */
function outcome(target: string, who?: 'admin' | 'recent'): string {
  const verdict = ask(target, who);
  if (verdict.kind === 'allowed') return `${verdict.target.path}?${verdict.target.query}`;
  return verdict.kind === 'refused' ? [verdict.reason, verdict.parameter].filter(Boolean).join(' ') : verdict.kind;
}

const AT = 'start=2026-05-31T12:00:00Z';

describe('A row that says which parameters it takes', () => {
  // biome-ignore format: a table
  const ASKED: [target: string, outcome: string, who?: 'admin'][] = [
    [`/get?path=porch&${AT}&duration=10`,                        'sent'],
    [`/get?duration=10.5&format=mp4&id=a-1&path=porch&${AT}`,    'sent'],
    [`/get?%70ath=porch&${AT}&duration=10`,                      'sent'],
    ['/list?path=porch',                                         'sent'],
    ['/list?path=porch&start=2026-05-31T12:00:00.123456789%2B02:00', 'sent'],
    ['/list?path=garden',                                        'camera-not-in-role'],
    ['/list',                                                    'query-field-refused path'],
    ['/list?path=porch&path=garden',                             'query-field-refused path'],
    ['/list?path=porch&p%61th=porch',                            'query-field-refused path'],
    ['/list?path=porch&jwt=x',                                   'query-field-refused jwt'],
    ['/list?path=porch&user=a&pass=b',                           'query-field-refused user'],
    ['/list?path=porch&__proto__=x',                             'query-field-refused __proto__'],
    ['/list?path=porch&toString=x',                              'query-field-refused toString'],
    ['/list?path=porch;x=1',                                     'target-not-plain'],
    ['/list?path=porch&x;y=1',                                   'query-field-refused x;y'],
    ['/list?path=porch%00',                                      'query-field-refused path'],
    [`/list?path=${'a'.repeat(65)}`,                             'query-field-refused path'],
    ['/list?path=porch&start=2026-05-31T12:00:00+02:00',         'query-field-refused start'],
    ['/list?path=porch&start=2026-05-31',                        'query-field-refused start'],
    ['/list?path=porch&start=2026-05-31T12:00:00,5Z',            'query-field-refused start'],
    ['/list?path=porch&start=2026-13-31T12:00:00Z',              'query-field-refused start'],
    ['/list?path=porch&start=1700000000',                        'query-field-refused start'],
    ['/list?path=porch&start=',                                  'query-field-refused start'],
    [`/get?path=porch&${AT}`,                                    'query-field-refused duration'],
    [`/get?path=porch&${AT}&duration=-3600`,                     'query-field-refused duration'],
    [`/get?path=porch&${AT}&duration=1e9`,                       'query-field-refused duration'],
    [`/get?path=porch&${AT}&duration=10s`,                       'query-field-refused duration'],
    [`/get?path=porch&${AT}&duration=1&format=avi`,              'query-field-refused format'],
    [`/get?path=porch&${AT}&duration=1&id=a%2Fb`,                'query-field-refused id'],
    ['/list?path=garden&jwt=x&path=porch',                       'sent', 'admin'],
  ];
  for (const [target, expected, who] of ASKED)
    it(`has ${target} ${expected}${who ? ` for the ${who}` : ''}`, () => {
      assert.equal(outcome(target, who), expected === 'sent' ? target : expected);
    });

  it('lets no name through that it does not list, in no spelling', () => {
    const spelled = (text: string) =>
      fc
        .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
        .map((coded) =>
          [...text].map((sign, at) => (coded[at] ? `%${sign.charCodeAt(0).toString(16)}` : sign)).join(''),
        );
    fc.assert(
      fc.property(fc.constantFrom('jwt', 'user', 'pass', 'Path', 'starts').chain(spelled), fc.nat(2), (name, at) => {
        const pairs = ['path=porch', AT];
        pairs.splice(at, 0, `${name}=garden`);
        assert.match(outcome(`/list?${pairs.join('&')}`), /^query-field-refused /);
      }),
    );
  });
});

describe('A time in RFC 3339, for a role that sees a day back', () => {
  // biome-ignore format: a table
  const TIMES: [target: string, outcome: string][] = [
    ['/list?path=porch',                                            '/list?path=porch&start=2026-05-31T00%3A00%3A00.000Z'],
    ['/list?path=porch&start=2026-05-30T23:59:59Z',                 '/list?path=porch&start=2026-05-31T00%3A00%3A00.000Z'],
    ['/list?path=porch&start=2026-05-31T01:00:00%2B02:00',          '/list?path=porch&start=2026-05-31T00%3A00%3A00.000Z'],
    ['/list?path=porch&start=2026-05-31T00:00:00Z',                 '/list?path=porch&start=2026-05-31T00:00:00Z'],
    ['/list?path=porch&start=2026-05-30T23:00:00-02:00',            '/list?path=porch&start=2026-05-30T23:00:00-02:00'],
    ['/list?path=porch&end=2020-01-01T00:00:00Z',                   '/list?path=porch&end=2020-01-01T00:00:00Z&start=2026-05-31T00%3A00%3A00.000Z'],
    ['/get?path=porch&start=2026-05-31T00:00:00Z&duration=5',       '/get?path=porch&start=2026-05-31T00:00:00Z&duration=5'],
    ['/get?path=porch&start=2026-05-30T23:59:59.999Z&duration=5',   'history-too-old'],
    ['/get?path=porch&start=2026-05-31T01:00:00%2B02:00&duration=5', 'history-too-old'],
    ['/get?path=garden&start=2026-05-31T12:00:00Z&duration=5',      'camera-not-in-role'],
  ];
  for (const [target, expected] of TIMES)
    it(`has ${target} ${expected}`, () => assert.equal(outcome(target, 'recent'), expected));
});
