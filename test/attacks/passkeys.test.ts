/** Attacks on passkeys, each proved by what was stored, and by what the NVR did not get (SPEC 12). */

import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { fieldsIn } from '../../src/accounts/http/json-body.ts';
import { ASSERTION, clientDataIn, NEW_CREDENTIAL, verifyNew } from '../../src/accounts/passkeys/credential.ts';
import { startFakeNvr } from '../support/fake-nvr.ts';
import {
  type AskedPasskey,
  askedForPasskey,
  type CreationOptions,
  logInByPasskey,
  creationOptions as optionsOf,
  PASSKEYS,
  type PasskeyOwner,
  withPasskey,
} from '../support/passkeys.ts';
import { ADMIN_PERSON, type Person, VERA } from '../support/people.ts';
import { enrolled, sendJson } from '../support/second-factor.ts';
import { sessionIn } from '../support/sessions.ts';
import { keyOfAlgorithm, type Lies, made, newPasskey, ORIGIN, shown } from '../support/soft-authenticator.ts';
import { startInstance } from '../support/start-instance.ts';

const nvr = await startFakeNvr();
const config = {
  server: { public_url: ORIGIN },
  auth: { failed_login_rate_limit: '1000/minute', trusted_proxies: ['127.0.0.1/32'] },
  nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] },
};
const at = await startInstance({ config });
after(async () => {
  await at.close();
  await nvr.close();
});

let newcomers = 0;
/** A user whom no other test needs. */
async function newcomer(): Promise<Person> {
  newcomers += 1;
  const person = { name: `person${newcomers}`, role: 'viewer', password: 'MagnesiumLamp77!' };
  const body = { username: person.name, password: person.password, role: person.role };
  assert.equal((await sendJson(at, '/api/users', body, await at.logIn(ADMIN_PERSON))).status, 200);
  return person;
}

const creationOptions = (token: string): Promise<CreationOptions> => optionsOf(at, token);
const owner = async (): Promise<PasskeyOwner> => withPasskey(at, await newcomer());

const passkeysOf = async (token: string): Promise<readonly { id: string; name: string }[]> =>
  ((await (await at.ask('/api/second-factor', { token })).json()) as { passkeys: { id: string; name: string }[] })
    .passkeys;

const JSON_TYPE = { 'content-type': 'application/json' };
const asked = (): Promise<AskedPasskey> => askedForPasskey(at);
const askedAfterPassword = ({ name, password }: Person): Promise<AskedPasskey> =>
  askedForPasskey(at, { user: name, password });
const logIn = (credential: object, by: Pick<AskedPasskey, 'cookie'>): Promise<Response> =>
  logInByPasskey(at, credential, by);

const lastReason = (): unknown => at.log.findLast(({ what }) => what === 'login')?.['reason'];

/** Refused, without a cookie, for that reason in the log, and the NVR has heard nothing. */
async function refused(attempt: Promise<Response>, reason: string, status = 401): Promise<void> {
  const before = nvr.received.length;
  const answer = await attempt;
  assert.deepEqual([answer.status, answer.headers.getSetCookie()], [status, []]);
  assert.equal(lastReason(), reason);
  assert.equal(nvr.received.length, before);
}

describe('The places of failed logins', () => {
  it('are not filled by responses that anybody can make up, and are by those of a known passkey', async (t) => {
    const strict = await startInstance({
      config: { ...config, auth: { ...config.auth, failed_login_rate_limit: '2/hour' } },
    });
    t.after(() => strict.close());
    const { passkey } = await withPasskey(strict, VERA);
    const ways = async () => [
      shown(newPasskey(), await askedForPasskey(strict), { userHandle: null }),
      shown(passkey, { challenge: 'AAAA' }),
      shown(passkey, { challenge: (await askedForPasskey(strict)).challenge }),
    ];
    for (let round = 0; round < 3; round += 1)
      for (const credential of await ways())
        assert.equal((await logInByPasskey(strict, credential, { cookie: '' })).status, 401);
    await strict.logIn(ADMIN_PERSON);
    const wrong = async () => {
      const asked = await askedForPasskey(strict);
      return logInByPasskey(strict, shown(passkey, asked, { origin: 'https://nvr.example' }), asked);
    };
    assert.deepEqual([(await wrong()).status, (await wrong()).status, (await wrong()).status], [401, 401, 429]);
  });
});

describe('A passkey', async () => {
  const { person, passkey, token } = await owner();

  it('logs in alone, and the NVR hears who it is', async () => {
    const options = await asked();
    assert.deepEqual([options.userVerification, options.allowCredentials], ['required', []]);
    const answer = await logIn(shown(passkey, options), options);
    assert.equal(answer.status, 200);
    assert.equal((await at.ask('/api/version', { token: sessionIn(answer) ?? '' })).status, 200);
    assert.equal(nvr.lastHeader('remote-user')[0], person.name);
    const { factor, who, verdict } = at.log.findLast(({ what }) => what === 'login') ?? {};
    assert.deepEqual([factor, who, verdict], ['passkey', person.name, 'allowed']);
  });

  it('is a second factor after the password, also one that verifies no user', async () => {
    const first = await sendJson(at, '/api/login', { user: person.name, password: person.password });
    assert.deepEqual(((await first.json()) as { second_factor: unknown }).second_factor, ['passkey']);
    const options = await askedAfterPassword(person);
    assert.deepEqual(
      options.allowCredentials.map(({ id }) => id),
      [passkey.id.toString('base64url')],
    );
    const answer = await logIn(shown(passkey, options, { isUserVerified: false, userHandle: null }), options);
    assert.equal(answer.status, 200);
  });

  it('is no second factor without the right password, nor for a user without one', async () => {
    const other = await newcomer();
    const body = { user: person.name, password: 'not the password' };
    assert.equal((await sendJson(at, '/api/login/passkey/options', body)).status, 401);
    const none = await sendJson(at, '/api/login/passkey/options', { user: other.name, password: other.password });
    assert.deepEqual([none.status, none.headers.getSetCookie()], [409, []]);
  });

  // biome-ignore format: a table
  const lies: [lie: string, told: Lies, reason: string][] = [
    ['made for another origin',            { origin: 'https://evil.example' },      'passkey-unfit'],
    ['made for another RP ID',             { rpId: 'evil.example' },                'passkey-unfit'],
    ['made within a page of another site', { crossOrigin: true },                   'passkey-unfit'],
    ['of a registration',                  { type: 'webauthn.create' },             'passkey-unfit'],
    ['without the user being verified',    { isUserVerified: false },               'passkey-unfit'],
    ['without the user being there',       { isUserPresent: false },                'passkey-unfit'],
    ['with another signature',             { signature: Buffer.alloc(70, 1) },      'passkey-unfit'],
    ['that names another user',            { userHandle: 'b3RoZXI' },               'passkey-unfit'],
    ['that names no user',                 { userHandle: null },                    'passkey-unfit'],
    ['with a challenge of its own',        { challenge: 'A'.repeat(72) },           'passkey-challenge-foreign'],
  ];
  for (const [lie, told, reason] of lies) {
    it(`is refused ${lie}`, async () => {
      const options = await asked();
      await refused(logIn(shown(passkey, options, told), options), reason);
    });
  }

  it('is refused when its counter does not rise, as that of a copy', async () => {
    const first = await asked();
    assert.equal((await logIn(shown(passkey, first), first)).status, 200);
    const options = await asked();
    await refused(logIn(shown(passkey, options, { counter: passkey.counter }), options), 'passkey-cloned');
    const { who, verdict } = at.log.findLast(({ what }) => what === 'login') ?? {};
    assert.deepEqual([who, verdict], [person.name, 'refused']);
    const again = await asked();
    await refused(logIn(shown(passkey, again, { counter: 0 }), again), 'passkey-cloned');
    const honest = await asked();
    assert.equal((await logIn(shown(passkey, honest), honest)).status, 200);
  });

  it('answers a challenge once: again, and many at once', async () => {
    const options = await asked();
    const once = shown(passkey, options);
    assert.equal((await logIn(once, options)).status, 200);
    await refused(logIn(once, options), 'passkey-challenge-spent');
    await refused(logIn(shown(passkey, options), options), 'passkey-challenge-spent');
    const next = await asked();
    const many = await Promise.all(Array.from({ length: 5 }, () => logIn(shown(passkey, next), next)));
    assert.deepEqual(many.map(({ status }) => status).sort(), [200, 401, 401, 401, 401]);
  });

  it('answers no challenge of another browser, of another person, or of before', async () => {
    const [own, other] = [await asked(), await asked()];
    await refused(logIn(shown(passkey, own), other), 'passkey-challenge-foreign');
    await refused(logIn(shown(passkey, own), { cookie: '' }), 'passkey-challenge-foreign');
    const stranger = await owner();
    const theirs = await askedAfterPassword(stranger.person);
    await refused(logIn(shown(passkey, theirs), theirs), 'passkey-challenge-foreign');
    const creation = await creationOptions(token);
    await refused(logIn(shown(passkey, creation), own), 'passkey-challenge-foreign');
    const old = await asked();
    at.clock.advance(301);
    const late = await logIn(shown(passkey, old), old);
    assert.deepEqual([late.status, ((await late.json()) as { reason: string }).reason], [401, 'passkey-over']);
  });

  it('answers no challenge from before another password', async () => {
    const changed = await owner();
    const before = await askedAfterPassword(changed.person);
    const path = `/api/users/${changed.person.name}/password`;
    const admin = await at.logIn(ADMIN_PERSON);
    assert.equal((await sendJson(at, path, { password: 'CalciumCandle55?' }, admin, 'PUT')).status, 200);
    await refused(logIn(shown(changed.passkey, before), before), 'passkey-challenge-foreign');
  });

  it('that is not known, removed, or of a deleted user opens nothing', async () => {
    const options = await asked();
    await refused(logIn(shown({ ...newPasskey(), userHandle: 'eA' }, options), options), 'passkey-unknown');
    const gone = await owner();
    const path = `${PASSKEYS}/${gone.passkey.id.toString('base64url')}`;
    assert.equal((await sendJson(at, path, {}, gone.token, 'DELETE')).status, 200);
    await refused(logIn(shown(gone.passkey, options), options), 'passkey-unknown');
    const deleted = await owner();
    const users = `/api/users/${deleted.person.name}`;
    assert.equal((await at.ask(users, { method: 'DELETE', token: await at.logIn(ADMIN_PERSON) })).status, 200);
    await refused(logIn(shown(deleted.passkey, options), options), 'passkey-unknown');
  });
});

describe('A passkey as proof that a session is its user’s', async () => {
  const one = await owner();
  const other = await owner();
  const PROOF = '/api/reauthenticate';
  /** Of a session whose proof is too old. */
  const late = async ({ person }: PasskeyOwner): Promise<string> => {
    const options = await asked();
    const { passkey } = person === one.person ? one : other;
    const token = sessionIn(await logIn(shown(passkey, options), options)) ?? '';
    at.clock.advance(601);
    return token;
  };
  const optionsFor = async (token: string): Promise<AskedPasskey> => {
    const answer = await sendJson(at, `${PROOF}/options`, {}, token);
    assert.equal(answer.status, 200);
    return (await answer.json()) as AskedPasskey;
  };
  const mayMakeTokens = async (token: string): Promise<number> =>
    (await sendJson(at, '/api/tokens', { name: 'x', role: 'viewer' }, token)).status;
  const prove = (token: string, credential: object): Promise<Response> => sendJson(at, PROOF, { credential }, token);
  const reason = (): unknown => at.log.findLast(({ what }) => what === 'reauthenticated')?.['reason'];
  async function assertNotProven(token: string, credential: object, why: string): Promise<void> {
    const answer = await prove(token, credential);
    const told = (await answer.json()) as { reason: string };
    assert.deepEqual([answer.status, told.reason, answer.headers.getSetCookie()], [401, 'not-proven', []]);
    assert.deepEqual([reason(), await mayMakeTokens(token)], [why, 403]);
  }

  it('is enough, once, with the user verified', async () => {
    const token = await late(one);
    assert.equal(await mayMakeTokens(token), 403);
    const options = await optionsFor(token);
    assert.deepEqual(
      [options.userVerification, options.allowCredentials.map(({ id }) => id)],
      ['required', [one.passkey.id.toString('base64url')]],
    );
    const credential = shown(one.passkey, options);
    const answer = await prove(token, credential);
    assert.equal(answer.status, 200);
    const proven = sessionIn(answer) ?? '';
    assert.equal(await mayMakeTokens(proven), 201);
    at.clock.advance(200);
    await assertSpent(proven, credential);
  });
  async function assertSpent(token: string, credential: object): Promise<void> {
    assert.equal((await prove(token, credential)).status, 401);
    assert.equal(reason(), 'passkey-challenge-spent');
  }

  it('is not that of another user, for another session, for a login, without verification, too late or from elsewhere', async () => {
    const [token, second, foreign] = [await late(one), await late(one), await late(other)];
    const options = await optionsFor(token);
    await assertNotProven(token, shown(other.passkey, options), 'passkey-unknown');
    await assertNotProven(token, shown(other.passkey, await optionsFor(foreign)), 'passkey-unknown');
    await assertNotProven(second, shown(one.passkey, options), 'passkey-challenge-foreign');
    const login = await asked();
    await assertNotProven(token, shown(one.passkey, login), 'passkey-challenge-foreign');
    at.clock.advance(61);
    const unverified = shown(one.passkey, await optionsFor(token), { isUserVerified: false });
    await assertNotProven(token, unverified, 'passkey-unfit');
    const elsewhere = shown(one.passkey, await optionsFor(token), { origin: 'https://evil.example' });
    await assertNotProven(token, elsewhere, 'passkey-unfit');
    // A proof begins no session.
    const proof = await optionsFor(token);
    await refused(logIn(shown(one.passkey, proof), login), 'passkey-challenge-foreign');
    at.clock.advance(301);
    await assertNotProven(token, shown(one.passkey, proof), 'passkey-challenge-over');
  });

  it('is not for API tokens, and not given beside a password', async () => {
    const fresh = sessionIn(await sendJson(at, PROOF, { password: one.person.password }, await late(one))) ?? '';
    const made = await sendJson(at, '/api/tokens', { name: 'robot', role: 'viewer' }, fresh);
    const { token: robot } = (await made.json()) as { token: string };
    assert.equal((await sendJson(at, `${PROOF}/options`, {}, robot)).status, 403);
    assert.equal((await sendJson(at, PROOF, { credential: {} }, robot)).status, 403);
    const both = { password: 'x', credential: shown(one.passkey, await optionsFor(fresh)) };
    assert.equal((await sendJson(at, PROOF, both, fresh)).status, 422);
  });
});

describe('Adding a passkey', () => {
  // biome-ignore format: a table
  const lies: [lie: string, told: Lies, status: number][] = [
    ['made for another origin',          { origin: 'https://evil.example' },  400],
    ['made for another RP ID',           { rpId: 'evil.example' },            400],
    ['made within another site\'s page', { crossOrigin: true },               400],
    ['of a login',                       { type: 'webauthn.get' },            400],
    ['without the user being there',     { isUserPresent: false },            400],
    ['of algorithm none',                { cose: keyOfAlgorithm(0) },         400],
    ['of an unknown algorithm',          { cose: keyOfAlgorithm(-4242) },     400],
    ['of an algorithm not asked for',    { cose: keyOfAlgorithm(-36) },       400],
    ['with a maker\'s certificate',      { format: 'fido-u2f' },              400],
    ['of an unknown format',             { format: 'mine' },                  400],
    ['with a challenge of its own',      { challenge: 'A'.repeat(72) },       400],
  ];
  it('is refused when it is a lie, and leaves nothing', async () => {
    const token = await at.logIn(await newcomer());
    for (const [lie, told, status] of lies) {
      const credential = made(newPasskey(), await creationOptions(token), told);
      assert.equal((await sendJson(at, PASSKEYS, { credential }, token)).status, status, lie);
    }
    assert.deepEqual(await passkeysOf(token), []);
  });

  it('is not done with the challenge of another session, user, or use', async () => {
    const person = await newcomer();
    const [one, other] = [await at.logIn(person), await at.logIn(person)];
    const stranger = await at.logIn(await newcomer());
    const options = await creationOptions(one);
    for (const token of [other, stranger]) {
      const credential = made(newPasskey(), options);
      assert.equal((await sendJson(at, PASSKEYS, { credential }, token)).status, 400);
    }
    const login = await asked();
    const credential = made(newPasskey(), { ...login, user: options.user });
    assert.equal((await sendJson(at, PASSKEYS, { credential }, one)).status, 400);
    at.clock.advance(301);
    assert.equal((await sendJson(at, PASSKEYS, { credential: made(newPasskey(), options) }, one)).status, 400);
    assert.deepEqual(await passkeysOf(one), []);
  });

  it('is done once with a challenge, of two at once', async () => {
    const { token, passkey, person } = await owner();
    const options = await creationOptions(token);
    assert.deepEqual(
      options.excludeCredentials.map(({ id }) => id),
      [passkey.id.toString('base64url')],
    );
    const add = () => sendJson(at, PASSKEYS, { credential: made(newPasskey(), options) }, token);
    assert.deepEqual((await Promise.all([add(), add(), add()])).map(({ status }) => status).sort(), [201, 409, 409]);
    assert.equal((await passkeysOf(token)).length, 2);
    const again = made(passkey, await creationOptions(token));
    assert.equal((await sendJson(at, PASSKEYS, { credential: again }, token)).status, 409, 'the same passkey');
    const thief = await at.logIn(await newcomer());
    const stolen = made(passkey, await creationOptions(thief));
    assert.equal((await sendJson(at, PASSKEYS, { credential: stolen }, thief)).status, 409, person.name);
  });

  it('of a further one leaves the session as it is: no other one is begun', async () => {
    const { token, passkey } = await owner();
    const more = { credential: made(newPasskey(), await creationOptions(token)) };
    const path = `${PASSKEYS}/${passkey.id.toString('base64url')}`;
    for (const answer of [await sendJson(at, PASSKEYS, more, token), await sendJson(at, path, {}, token, 'DELETE')])
      assert.deepEqual([answer.ok, answer.headers.getSetCookie()], [true, []]);
    assert.equal((await at.ask('/api/version', { token })).status, 200);
  });

  it('ends the sessions from before the first factor, and gives recovery codes', async () => {
    const person = await newcomer();
    const [before, token] = [await at.logIn(person), await at.logIn(person)];
    const answer = await sendJson(
      at,
      PASSKEYS,
      { credential: made(newPasskey(), await creationOptions(token)) },
      token,
    );
    const { recovery_codes: codes } = (await answer.json()) as { recovery_codes: string[] };
    assert.equal(codes.length, 10);
    for (const dead of [before, token]) assert.equal((await at.ask('/api/version', { token: dead })).status, 401);
    assert.equal((await at.ask('/api/version', { token: sessionIn(answer) ?? '' })).status, 200);
    const login = await sendJson(at, '/api/login', { user: person.name, password: person.password, code: codes[0] });
    assert.equal(login.status, 200);
  });

  it('asks for a proof that is not older than ten minutes, and so does removing', async () => {
    const { token, passkey } = await owner();
    at.clock.advance(601);
    const path = `${PASSKEYS}/${passkey.id.toString('base64url')}`;
    for (const [where, method] of [
      [`${PASSKEYS}/options`, 'POST'],
      [PASSKEYS, 'POST'],
      [path, 'DELETE'],
    ] as const) {
      const answer = await sendJson(at, where, {}, token, method);
      assert.deepEqual(
        [answer.status, ((await answer.json()) as { reason: string }).reason],
        [403, 'reauthentication-required'],
      );
    }
    assert.equal((await passkeysOf(token)).length, 1);
  });

  it('is not done by a page of another site, an API token, or an unknown caller', async () => {
    const person = await newcomer();
    const session = await at.logIn(person);
    const options = await creationOptions(session);
    const body = JSON.stringify({ credential: made(newPasskey(), options) });
    const crossSite = { ...JSON_TYPE, cookie: `frigate_token=${session}`, 'sec-fetch-site': 'cross-site' };
    assert.equal((await at.ask(PASSKEYS, { method: 'POST', headers: crossSite, body })).status, 403);
    const made_ = await sendJson(at, '/api/tokens', { name: 'home' }, session);
    const { token: apiToken } = (await made_.json()) as { token: string };
    for (const path of [`${PASSKEYS}/options`, PASSKEYS])
      assert.equal((await at.ask(path, { method: 'POST', headers: JSON_TYPE, body, token: apiToken })).status, 403);
    assert.equal((await at.ask(PASSKEYS, { method: 'POST', headers: JSON_TYPE, body })).status, 401);
    assert.deepEqual(await passkeysOf(session), []);
  });

  it('answers what it cannot read by saying what is wrong', async () => {
    const token = await at.logIn(await newcomer());
    const whole = made(newPasskey(), await creationOptions(token));
    // biome-ignore format: a table
    const rows: [body: unknown, status: number][] = [
      [{}, 422], [{ credential: null }, 422], [{ credential: [] }, 422], [{ credential: 'x' }, 422],
      [{ credential: { ...whole, id: 'ä' } }, 422],
      [{ credential: { ...whole, rawId: 'other' } }, 422],
      [{ credential: { ...whole, type: 'password' } }, 422],
      [{ credential: { ...whole, id: 'A'.repeat(1365) } }, 422],
      [{ credential: { ...whole, response: { ...whole.response, attestationObject: 'A'.repeat(6001) } } }, 422],
      [{ credential: { ...whole, response: { ...whole.response, attestationObject: 'AAAA' } } }, 400],
      [{ credential: { ...whole, response: { ...whole.response, clientDataJSON: 'bnVsbA' } } }, 400],
      [{ credential: { ...whole, response: { ...whole.response, clientDataJSON: 'e30' } } }, 400],
      [{ credential: whole, name: 'a\u0000b' }, 422], [{ credential: whole, name: 'x'.repeat(65) }, 422],
      [{ credential: whole, name: 7 }, 422], [{ credential: whole, more: 'x'.repeat(9000) }, 413],
    ];
    for (const [body, status] of rows) {
      const answer = await sendJson(at, PASSKEYS, body as object, token);
      assert.equal(answer.status, status, JSON.stringify(body).slice(0, 200));
      assert.match(((await answer.json()) as { message: string }).message, /\w+ \w+/);
    }
    assert.deepEqual(await passkeysOf(token), []);
  });

  it('ends at twenty', async () => {
    const { token } = await owner();
    const statuses: number[] = [];
    for (let count = 0; count < 20; count += 1) {
      const credential = made(newPasskey(), await creationOptions(token));
      statuses.push((await sendJson(at, PASSKEYS, { credential }, token)).status);
    }
    assert.deepEqual(statuses, [...Array.from({ length: 19 }, () => 201), 409]);
  });
});

describe('The passkeys of a person', () => {
  it('are named anew and removed by that person alone', async () => {
    const [mine, other] = [await owner(), await owner()];
    const path = `${PASSKEYS}/${mine.passkey.id.toString('base64url')}`;
    assert.equal((await sendJson(at, path, { name: 'Mine' }, other.token, 'PATCH')).status, 404);
    assert.equal((await sendJson(at, path, {}, other.token, 'DELETE')).status, 404);
    assert.equal((await sendJson(at, path, { name: ' Key in the drawer ' }, mine.token, 'PATCH')).status, 200);
    assert.deepEqual(
      (await passkeysOf(mine.token)).map(({ name }) => name),
      ['Key in the drawer'],
    );
  });

  it('stay when the app goes, and the account is no weaker by the loss of one', async () => {
    const { passkey, person, token } = await owner();
    const again = await sendJson(at, '/api/second-factor/totp', {}, token);
    assert.equal(again.status, 200);
    const path = `${PASSKEYS}/${passkey.id.toString('base64url')}`;
    assert.equal((await sendJson(at, path, {}, token, 'DELETE')).status, 200);
    assert.equal((await sendJson(at, '/api/login', { user: person.name, password: person.password })).status, 200);
  });

  it('are off without a public address, with an IP address, and with auth.second_factor off; in words', async () => {
    const { person, passkey, recoveryCodes } = await owner();
    const login = { user: person.name, password: person.password };
    const rows: [changed: object, words: RegExp][] = [
      [{ ...config, server: {} }, /server\.public_url must say/],
      [{ ...config, server: { public_url: 'https://192.0.2.7' } }, /IP address 192\.0\.2\.7/],
      [{ ...config, auth: { ...config.auth, second_factor: 'off' } }, /auth\.second_factor is "off"/],
    ];
    for (const [changed, words] of rows) {
      assert.equal((await at.reload(changed as typeof config)).isTaken, true);
      const answer = await sendJson(at, '/api/login/passkey/options', {});
      assert.equal(answer.status, 409);
      assert.match(((await answer.json()) as { message: string }).message, words);
      assert.equal((await logIn(shown(passkey, { challenge: 'x' }), { cookie: '' })).status, 409);
    }
    await at.reload({ ...config, server: {} });
    const without = (await (await sendJson(at, '/api/login', login)).json()) as { second_factor: unknown };
    assert.deepEqual(without.second_factor, ['totp'], 'a recovery code is asked for');
    assert.equal((await sendJson(at, '/api/login', { ...login, code: recoveryCodes[0] })).status, 200);
    await at.reload(config);
  });

  it('leave those of the app as they were', async () => {
    const { codeNow, token } = await enrolled(at, VERA);
    const credential = made(newPasskey(), await creationOptions(token));
    const answer = await sendJson(at, PASSKEYS, { credential }, token);
    assert.deepEqual(((await answer.json()) as { recovery_codes: unknown }).recovery_codes, []);
    const both = (await (
      await sendJson(at, '/api/login', { user: VERA.name, password: VERA.password })
    ).json()) as object;
    assert.deepEqual(Object(both)['second_factor'], ['totp', 'passkey']);
    const code = codeNow();
    assert.equal((await sendJson(at, '/api/login', { user: VERA.name, password: VERA.password, code })).status, 200);
  });
});

describe('Bytes of a stranger', () => {
  const PARTY = { id: 'localhost', origin: ORIGIN };
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url') || 'AA';
  const honest = made(newPasskey(), { challenge: 'c', user: { id: 'u' } });
  const bytes = Buffer.from(honest.response.attestationObject, 'base64url');

  it('in the place of a new passkey are refused, however they are made, and nothing is thrown', async () => {
    const changed = fc
      .tuple(fc.nat(bytes.length - 1), fc.nat(255))
      .map(([at, value]) => Buffer.from(bytes).fill(value, at, at + 1));
    const bombs = fc.constantFrom(
      '9b7fffffffffffffff',
      'bb7fffffffffffffff',
      '81'.repeat(4000),
      '5b7fffffffffffffff',
      'a0',
    );
    const any = fc.oneof(
      changed,
      fc.uint8Array({ maxLength: 300 }),
      bombs.map((hex) => Buffer.from(hex, 'hex')),
    );
    await fc.assert(
      fc.asyncProperty(any, async (attestation) => {
        const credential = { ...honest, ...honest.response, attestationObject: text(attestation) };
        const verified = await verifyNew(credential, { challenge: 'c', party: PARTY, mustVerifyUser: false });
        assert.ok(verified === undefined || verified.id === honest.id);
      }),
      { numRuns: 200 },
    );
  });

  it('in a body are read or refused in words', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const credential of [NEW_CREDENTIAL, ASSERTION]) {
          const outcome = fieldsIn(z.object({ credential }), { credential: value });
          assert.ok(outcome.ok || outcome.error.every(({ msg, loc }) => msg.includes(' ') && loc[1] === 'credential'));
        }
        assert.doesNotThrow(() => clientDataIn(text(Buffer.from(JSON.stringify(value)))));
      }),
    );
  });
});
