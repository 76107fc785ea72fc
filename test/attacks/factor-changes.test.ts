/** Changes of second factors by a session that is stolen, or that is over by the time they are made (SPEC 12). */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { unixSeconds } from '../../src/domain/clock.ts';
import { startFakeNvr } from '../support/fake-nvr.ts';
import { creationOptions, PASSKEYS } from '../support/passkeys.ts';
import { ADMIN_PERSON, type Person } from '../support/people.ts';
import { codeOf, enrolled, sendJson } from '../support/second-factor.ts';
import { sessionIn } from '../support/sessions.ts';
import { made, newPasskey, ORIGIN } from '../support/soft-authenticator.ts';
import { startInstance } from '../support/start-instance.ts';

const MAX_AGE = 3000;
const nvr = await startFakeNvr();
const at = await startInstance({
  config: {
    server: { public_url: ORIGIN },
    auth: { failed_login_rate_limit: '1000/minute', trusted_proxies: ['127.0.0.1/32'], session_max_age: MAX_AGE },
    nvr: { url: nvr.url, cameras: ['cam1'] },
  },
});
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

const TOTP = '/api/second-factor/totp';
const offered = async (token: string): Promise<string> =>
  ((await (await sendJson(at, TOTP, {}, token)).json()) as { secret: string }).secret;
const confirmed = (secret: string, token: string): Promise<Response> =>
  sendJson(at, `${TOTP}/confirm`, { code: codeOf(secret, unixSeconds(at.clock)) }, token);
const recoveryCodes = async (token: string): Promise<number> =>
  (await sendJson(at, '/api/second-factor/recovery-codes', {}, token)).status;

describe('A session that changes its factors', () => {
  it('is proven no longer by it: ten minutes after the password it opens no door', async () => {
    const token = await at.logIn(await newcomer());
    at.clock.advance(400);
    const { token: next } = await enrolled(at, { name: '', role: '', password: '' }, token);
    assert.notEqual(next, token, 'the first factor ends the sessions of before');
    const again = await confirmed(await offered(next), next);
    assert.equal(again.status, 200, 'another app in the place of the first');
    const last = sessionIn(again) ?? next;
    assert.equal(await recoveryCodes(last), 200);
    at.clock.advance(200);
    assert.equal(await recoveryCodes(last), 403);
  });

  it('lasts no longer by it: auth.session_max_age counts from the login', async () => {
    const token = await at.logIn(await newcomer());
    at.clock.advance(500);
    const { token: next } = await enrolled(at, { name: '', role: '', password: '' }, token);
    at.clock.advance(MAX_AGE - 531);
    assert.equal((await at.ask('/api/version', { token: next })).status, 200);
    const before = nvr.received.length;
    at.clock.advance(1);
    assert.equal((await at.ask('/api/version', { token: next })).status, 401);
    assert.equal(nvr.received.length, before);
  });
});

/** All but the last request is done. */
async function withApp(token: string): Promise<() => Promise<Response>> {
  const secret = await offered(token);
  return () => confirmed(secret, token);
}
async function withKey(token: string): Promise<() => Promise<Response>> {
  const credential = made(newPasskey(), await creationOptions(at, token));
  return () => sendJson(at, PASSKEYS, { credential }, token);
}

describe('Of two sessions that set up the first factor at the same moment', () => {
  it('one has it, whatever kinds they are: no stranger keeps a passkey beside the factor of the owner', async () => {
    for (const ofOwner of [withApp, withKey, withApp, withKey]) {
      const person = await newcomer();
      const [owner, thief] = [await at.logIn(person), await at.logIn(person)];
      const ways = [await ofOwner(owner), await withKey(thief)];
      const answers = await Promise.all(ways.map((send) => send()));
      const won = answers.filter(({ status }) => status < 300);
      assert.equal(won.length, 1);
      const state = await at.ask('/api/second-factor', { token: (won[0] && sessionIn(won[0])) ?? '' });
      const { totp, passkeys } = (await state.json()) as { totp: boolean; passkeys: object[] };
      assert.equal(Number(totp) + passkeys.length, 1);
    }
  });
});

describe('A stolen session that guesses the password', () => {
  it('has the same few tries from all addresses, whichever way asks for the password', async () => {
    const person = await newcomer();
    const { token } = await enrolled(at, person);
    let guesses = 0;
    const send = (path: string, body: object, method = 'POST'): Promise<Response> => {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': `203.0.113.${++guesses}` };
      return at.ask(path, { method, headers, body: JSON.stringify(body), token });
    };
    const change = (old: string) =>
      send(`/api/users/${person.name}/password`, { password: 'OsmiumLantern88?', old_password: old }, 'PUT');
    const statuses: number[] = [];
    for (let each = 0; each < 6; each += 1) statuses.push((await change(`wrong ${each} password`)).status);
    assert.deepEqual([statuses[0] !== 429, statuses[4] === statuses[0], statuses[5]], [true, true, 429]);
    assert.equal((await change(person.password)).status, 429, 'not even with the right one');
    assert.equal((await send('/api/reauthenticate', { password: person.password })).status, 429);
    at.clock.advance(61);
    assert.equal((await change(person.password)).status, 200);
  });
});
