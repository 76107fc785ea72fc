/** Odd bodies, queries and paths for Postern's own routes: a caller who is logged in is told what is wrong, and nothing fails. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { OWN_OPERATIONS, type OwnOperation } from '../support/own-operations.ts';
import { ADMIN_PERSON, CARL } from '../support/people.ts';
import { askQuickly } from '../support/quick-client.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

/** As JSON, because some could not be written otherwise. */
const ODD_VALUES: readonly string[] = [
  'null',
  'true',
  '0',
  '-1',
  '1.5',
  '1e308',
  '1e999',
  '9007199254740993',
  '""',
  '" "',
  '"x"',
  '"\\ud800"',
  '"a\\udc00b"',
  '"\\u0000"',
  '"a\\r\\nb: c"',
  '"__proto__"',
  '"*"',
  '"../..%2f"',
  '"NaN"',
  `"${'x'.repeat(3000)}"`,
  '[]',
  '[null]',
  '["\\ud800"]',
  '[[[]]]',
  '{}',
  '{"toString":1}',
  '{"toString":1,"valueOf":1}',
  '{"toJSON":1}',
  '{"then":1}',
  '{"length":1e9,"0":"x"}',
  '{"__proto__":{"toString":1}}',
  '{"constructor":{"prototype":1}}',
  `${'['.repeat(3000)}${']'.repeat(3000)}`,
  `${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`,
];

/** Those that are tried in every part within a part as well. */
const ODD_WITHIN = new Set(ODD_VALUES.filter((_, index) => index % 4 === 1));

type Json = { readonly [field: string]: unknown };
const CREDENTIAL = {
  id: 'AAAA',
  rawId: 'AAAA',
  type: 'public-key',
  clientExtensionResults: {},
  response: { clientDataJSON: 'e30', attestationObject: 'oA', transports: ['usb'] },
};

const ASSERTION = {
  ...CREDENTIAL,
  response: { clientDataJSON: 'e30', authenticatorData: 'AAAA', signature: 'AAAA', userHandle: 'AAAA' },
};

/** A body of each operation that takes one, with all of its fields: an odd value is put in the place of each part of it. */
// biome-ignore format: a table
const BODIES: Readonly<Record<string, Json | readonly Json[]>> = {
  'post /api/login':                                     { user: 'vera', password: 'x', code: '000000', remember: false },
  'post /login':                                         {},
  'post /api/login/passkey/options':                     { user: 'vera', password: 'x' },
  'post /api/login/passkey':                             { credential: ASSERTION, user: 'vera', password: 'x' },
  'post /api/reauthenticate':                            [{ password: 'x' }, { code: '000000' }, { credential: ASSERTION }],
  'post /api/second-factor/totp/confirm':                { code: '000000', secret: 'x' },
  'post /api/second-factor/passkeys':                    { name: 'key', credential: CREDENTIAL },
  'patch /api/second-factor/passkeys/{passkey}':         { name: 'key' },
  'patch /api/sessions/{id}':                            { name: 'phone' },
  'post /api/users':                                     { username: 'new', user: 'new', password: 'LongPassw0rd!xyz', role: 'viewer', valid_from: 1, valid_until: 9e9 },
  'post /api/users/delete':                              { name: 'odd' },
  'post /api/closed-guests/forget':                      { provider: 'odd', subject: 'odd' },
  'post /api/roles/delete':                              { name: 'odd' },
  'put /api/users/{user}/password':                      { password: 'LongPassw0rd!xyz', old_password: 'x' },
  'put /api/users/{user}/role':                          { role: 'viewer' },
  'put /api/users/{user}/validity':                      { valid_from: 1, valid_until: 9e9 },
  'post /api/users/{user}/invitation':                   { role: 'viewer', expires_in: 3600, valid_from: 1, valid_until: 9e9 },
  'post /invitation/{token}':                            { password: 'LongPassw0rd!xyz' },
  'post /invitation/{token}/passkey':                    { credential: CREDENTIAL },
  'post /invitation/{token}/passkey/options':            {},
  'put /api/settings':                                   { second_factor: 'optional', timezone: 'UTC', public_url: 'http://localhost' },
  'put /api/curtain':                                     { cameras: ['odd'], until: 4_000_000_000 },
  'delete /api/curtain':                                  { cameras: ['odd'] },
  'post /api/screens/token':                              { device_code: 'odd' },
  'post /api/screens/confirm':                            { user_code: 'BCDF-GHJK', name: 'odd', cameras: ['cam1'], ends_at: 4_000_000_000 },
  'post /api/screens/deny':                               { user_code: 'BCDF-GHJK' },
  'patch /api/screens/{id}':                              { name: 'odd', cameras: ['cam1'] },
  'put /api/roles/{role}':                               { cameras: ['cam1'], deny: ['history'], hours: ['Mon-Fri 07:00-18:00'], history_since: '7d' },
  'put /api/config/set':                                 { config_data: { auth: { roles: { odd: ['cam1'] } } }, requires_restart: 0, update_topic: 'x' },
  'post /api/tokens':                                    { name: 'x', role: 'viewer', cameras: ['cam1'], expires_at: 4e9, manage_accounts: false },
  'post /api/links':                                     [
    { what: { event: '1700000000.5-abc' }, expires_in: 60, uses: 1, pin: '4711', name: 'x', notify_on_open: true },
    { what: { review: '1700000000.5-abc' } },
    { what: { live: { camera: 'cam1' } } },
    { what: { snapshot: { camera: 'cam1' } } },
    { what: { recording: { camera: 'cam1', from: 1_700_000_000, to: 1_700_000_060 } } },
  ],
  'post /s/{secret}':                                    { pin: '4711' },
  'post /api/status/doctor':                             {},
};

/** The body as JSON with each of its parts in turn replaced; `spot` names the part. */
function* replaced(body: unknown, odd: string, spot = ''): Generator<readonly [spot: string, json: string]> {
  yield [spot, odd];
  if (typeof body !== 'object' || body === null) return;
  const isList = Array.isArray(body);
  const members = Object.entries(body);
  for (const [name, value] of members)
    for (const [at, json] of replaced(value, odd, `${spot}.${name}`)) {
      const parts = members.map(([other, kept]) => {
        const text = other === name ? json : JSON.stringify(kept);
        return isList ? text : `${JSON.stringify(other)}:${text}`;
      });
      yield [at, isList ? `[${parts.join()}]` : `{${parts.join()}}`];
    }
  if (!isList) {
    const whole = JSON.stringify(body).slice(0, -1);
    yield [`${spot}.more`, `${whole}${members.length > 0 ? ',' : ''}"more":${odd}}`];
    yield [`${spot}.__proto__`, `${whole}${members.length > 0 ? ',' : ''}"__proto__":${odd}}`];
  }
}

const ODD_QUERIES: readonly string[] = [
  '',
  '%00',
  '%ED%A0%80',
  '%FF',
  '-1',
  '1e308',
  '1e999',
  'NaN',
  'x'.repeat(1000),
  '__proto__',
  '*',
  '0x10',
  '%0d%0aa:b',
  '[]',
  ',',
  '9007199254740993',
  "'%22;--",
];
const ODD_SEGMENTS: readonly string[] = [
  '0',
  '-1',
  '%00',
  '%ED%A0%80',
  '__proto__',
  'constructor',
  '*',
  'a%20b',
  'x'.repeat(1000),
  '%F0%9F%90%B1',
  'null',
  '..%2f',
];

/** Streams end by themselves, or are no answer to wait for. */
const LEFT_OUT: readonly string[] = [
  'get /api/events/changes',
  'post /api/status/doctor',
  'get /postern/api/doctor/{probe}',
  // Each would end the walk's own session.
  'get /logout',
  'post /logout',
  'get /api/logout',
  'post /api/logout',
];

/** A new passkey is read further when it answers what was asked. */
const withChallenge = (body: Json, challenge: string): Json =>
  body['credential'] !== CREDENTIAL
    ? body
    : {
        ...body,
        credential: { ...CREDENTIAL, response: { ...CREDENTIAL.response, clientDataJSON: clientData(challenge) } },
      };

const clientData = (challenge: string): string =>
  Buffer.from(JSON.stringify({ type: 'webauthn.create', challenge, origin: 'https://nvr.example.com' })).toString(
    'base64url',
  );

const keyOf = ({ method, path }: OwnOperation): string => `${method} ${path}`;

describe('An own route that is asked for something odd', () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  let token = '';
  before(async () => {
    nvr = await startFakeNvr();
    nvr.answer = (request, response) => {
      request.resume();
      const owned = /^\/api\/(?:events|review)\/[^/]+$/.test(request.url ?? '');
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(owned ? '{"camera":"cam1","start_time":1700000000,"end_time":1700000001}' : '[]');
    };
    instance = await startInstance({
      config: {
        server: { public_url: 'https://nvr.example.com' },
        nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] },
        auth: { failed_login_rate_limit: null, roles: { front_only: ['cam1'] } },
        links: { max_lifetime: 3600 },
      },
    });
    token = await instance.logIn(ADMIN_PERSON);
  });
  after(async () => {
    await instance.close();
    await nvr.close();
  });

  async function isAnswered(method: string, path: string, body: string | undefined, told: string) {
    const answer = await askQuickly(instance.port, path, {
      method: method.toUpperCase(),
      token,
      headers: { 'content-type': 'application/json' },
      body,
    });
    assert.ok(answer.status < 500, `${told}: ${answer.status} ${answer.text.slice(0, 200)}`);
  }

  it('has a body in the table below for each operation that takes one', () => {
    const taking = OWN_OPERATIONS.filter(({ body }) => body !== undefined).map(keyOf);
    assert.deepEqual(
      taking.filter((key) => !Object.hasOwn(BODIES, key)),
      [],
    );
  });

  it('says so, whatever stands in the place of whatever field', async () => {
    const offered = await instance.ask('/api/second-factor/passkeys/options', { method: 'POST', token });
    const { challenge } = (await offered.json()) as { challenge: string };
    let asked = 0;
    for (const operation of OWN_OPERATIONS.filter(({ method }) => method !== 'get')) {
      const key = keyOf(operation);
      if (LEFT_OUT.includes(key)) continue;
      const path = operation.path
        .replace('{user}', operation.method === 'delete' ? 'odd' : CARL.name)
        .replaceAll(/\{\w+\}/g, 'odd');
      for (const body of [BODIES[key] ?? {}].flat())
        for (const odd of ODD_VALUES)
          for (const [spot, json] of replaced(withChallenge(body, challenge), odd)) {
            if (spot.split('.').length > 3 && !ODD_WITHIN.has(odd)) continue;
            await isAnswered(operation.method, path, json, `${key} ${spot} ${odd.slice(0, 60)}`);
            asked += 1;
          }
    }
    assert.ok(asked > 1000, `${asked} bodies`);
  });

  it('says so, whatever stands in the place of a parameter', async () => {
    for (const operation of OWN_OPERATIONS) {
      const key = keyOf(operation);
      if (LEFT_OUT.includes(key)) continue;
      for (const segment of operation.path.includes('{') ? ODD_SEGMENTS : ['']) {
        const path = operation.path.replaceAll(/\{\w+\}/g, segment);
        const body = operation.method === 'get' || operation.method === 'delete' ? undefined : '{}';
        await isAnswered(operation.method, path, body, `${key} ${segment.slice(0, 40)}`);
      }
      if (operation.method !== 'get') continue;
      const path = operation.path.replaceAll(/\{\w+\}/g, 'odd');
      for (const name of [...Object.keys(operation.query ?? {}), 'x'])
        for (const odd of ODD_QUERIES)
          await isAnswered('get', `${path}?${name}=${odd}`, undefined, `${key}?${name}=${odd.slice(0, 40)}`);
    }
  });
});
