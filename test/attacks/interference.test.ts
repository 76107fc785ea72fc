/** Non-interference: whatever a caller says of himself, the NVR receives the same request, or none. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CARL, VERA } from '../support/people.ts';
import { rawRequest } from '../support/raw-request.ts';
import { HOST, head, UPGRADE, watchInstance } from './support/watched-instance.ts';

const watched = await watchInstance();
const bearers = [await watched.bearerOf(VERA), await watched.bearerOf(CARL)];

type Line = readonly [name: string, value: string];

const TARGETS = [
  '/api/version',
  '/api/events?limit=5',
  '/api/cam1/latest.jpg?h=720',
  '/api/cam1/recordings',
  '/assets/x.js',
];

/** Headers that are the client's own affair. */
const plainLine: fc.Arbitrary<Line> = fc.tuple(
  fc.constantFrom('Accept', 'Accept-Language', 'User-Agent', 'Range', 'If-None-Match', 'X-Requested-With', 'Cookie'),
  fc.stringMatching(/^[A-Za-z0-9/*,.=-]{1,20}$/),
);

const CLAIMS = [
  ...['Remote-User', 'Remote-Role', 'Remote-Groups', 'Remote-Email', 'Remote-Name', 'Remote-Anything'],
  ...['X-Forwarded-User', 'X-Forwarded-Groups', 'X-Forwarded-Email', 'X-Forwarded-Preferred-Username'],
  ...['X-Proxyvendor-Username', 'X-authentik-groups', 'X-Auth-Request-Groups', 'X-Remote-User-Id', 'X-Proxy-Secret'],
  ...['X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Real-IP', 'Forwarded', 'X-Request-Id'],
  ...['X-Server-Port', 'X-Original-URL', 'X-Original-Method', 'X-Rewrite-URL', 'X-Ingress-Path', 'X-Accel-Redirect'],
  ...['Keep-Alive', 'TE', 'Proxy-Connection', 'Proxy-Authorization', 'Trailer', 'HTTP2-Settings'],
];
const anyCase = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((upper) => [...text].map((letter, at) => (upper[at] ? letter.toUpperCase() : letter.toLowerCase())).join(''));

/** A claim in any spelling that some server reads alike. */
const claimName = fc
  .constantFrom(...CLAIMS)
  .chain(anyCase)
  .chain((name) => fc.constantFrom(name, name, name, name.replaceAll('-', '_'), name.replace('-', '.')));
const claimValue = fc.constantFrom(
  'admin',
  'root',
  'viewer,admin',
  'cam2',
  '127.0.0.1',
  'https',
  '/api/users',
  '',
  'h2c',
);
const connection: fc.Arbitrary<Line> = fc
  .subarray(['keep-alive', 'remote-role', 'Remote-User', 'x-forwarded-for', 'x-request-id', 'host', 'cookie'])
  .map((names) => ['Connection', ['keep-alive', ...names].join(', ')]);
const claim: fc.Arbitrary<Line> = fc.oneof({ weight: 6, arbitrary: fc.tuple(claimName, claimValue) }, connection);

/** New each time: Postern's own key for the part of a WebSocket that it reads itself, and the name of the request. */
const FRESH: readonly string[] = ['x-request-id', 'sec-websocket-key'];

/** The request as the NVR received it, less what is new each time. */
async function arrival(bytes: string): Promise<unknown> {
  watched.nvr.received.length = 0;
  await rawRequest(watched.instance.port, bytes);
  assert.ok(watched.nvr.received.length <= 1);
  const [request] = watched.nvr.received;
  if (!request) return 'nothing';
  const { method, target, headers, body } = request;
  // Joined or apart, and in which order, is one and the same to an NVR.
  return { method, target, body, headers: headers.filter(([name]) => !FRESH.includes(name)).sort() };
}

const isPlainName = ([name]: Line): boolean => /^[A-Za-z0-9-]+$/.test(name);
const asText = ([name, value]: Line): string => `${name}: ${value}`;

describe('Claims of a caller', () => {
  it('change nothing of what the NVR receives, unless nothing at all arrives', async () => {
    const request = fc.record({
      target: fc.constantFrom(...TARGETS),
      who: fc.constantFrom(0, 1),
      plain: fc.uniqueArray(plainLine, { maxLength: 3, selector: ([name]) => name }),
      claims: fc.array(claim, { minLength: 1, maxLength: 5 }),
    });
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(request, async ({ target, who, plain, claims }) => {
        const honest = [`GET ${target} HTTP/1.1`, HOST, bearers[who] ?? '', ...plain.map(asText)];
        const expected = await arrival(head(honest));
        assert.notEqual(expected, 'nothing');
        const claimed = await arrival(head(honest, claims.map(asText)));
        if (!claims.every(isPlainName)) assert.equal(claimed, 'nothing');
        else if (claimed !== 'nothing') {
          assert.deepEqual(claimed, expected);
          compared += 1;
        }
      }),
      { numRuns: 150 },
    );
    assert.ok(compared > 30, `only ${compared} of 150 requests arrived at all`);
  });

  it('change nothing of an upgrade either', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(claimName, claimValue), { minLength: 1, maxLength: 4 }), async (claims) => {
        const honest = ['GET /ws HTTP/1.1', HOST, bearers[0] ?? '', ...UPGRADE];
        const expected = await arrival(head(honest));
        const claimed = await arrival(head(honest, claims.map(asText)));
        if (!claims.every(isPlainName)) assert.equal(claimed, 'nothing');
        else if (claimed !== 'nothing') assert.deepEqual(claimed, expected);
      }),
      { numRuns: 60 },
    );
  });
});
