/** Invitations (SPEC 12): each is good once, for one account, while its maker may invite; and its secret stays with its reader. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../support/people.ts';
import { enrolled, sendJson } from '../support/second-factor.ts';
import { startInstance } from '../support/start-instance.ts';

const LIFETIME = 7200;
const PASSWORD = 'MagnesiumLamp77!';
const BOSS: Person = { name: 'boss', role: 'admin', password: 'IridiumLamp99!!!' };
const nvr = await startFakeNvr();
const configWith = (auth: object) => ({
  server: { public_url: 'https://nvr.example.com' },
  auth: {
    invitation_lifetime: LIFETIME,
    trusted_proxies: ['127.0.0.1/32'],
    failed_login_rate_limit: '1000/minute',
    ...auth,
  },
  nvr: { url: nvr.url, cameras: ['cam1'] },
  logger: { logs: { 'service.access': 'info', 'service.gate': 'debug' } },
});
const at = await startInstance({ people: [ADMIN_PERSON, VERA, CARL, BOSS], config: configWith({}) });
after(async () => {
  await at.close();
  await nvr.close();
});

interface Link {
  readonly url: string;
  readonly path: string;
  readonly expiresAt: number;
}
const pathOf = (url: string): string => url.replace('https://nvr.example.com', '');
async function invited(name: string, body?: object, by: Person = ADMIN_PERSON): Promise<Link> {
  const answer = await sendJson(at, `/api/users/${name}/invitation`, body ?? {}, await at.logIn(by));
  assert.equal(answer.status, 201);
  const { url, expires_at: expiresAt } = (await answer.json()) as { url: string; expires_at: number };
  return { url, path: pathOf(url), expiresAt };
}
let strangers = 0;
/** From an address of its own: links that do not hold are counted by address. */
const asStranger = (path: string, init: RequestInit = {}): Promise<Response> => {
  const from = { 'x-forwarded-for': `2001:db8:${(++strangers).toString(16)}::1` };
  return at.ask(path, { ...init, headers: { ...from, ...(init.headers as Record<string, string>) } });
};
const accept = (path: string, password = PASSWORD): Promise<Response> =>
  asStranger(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password }),
  });
const sendForm = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  at.ask(path, { method: 'POST', body: new URLSearchParams(fields), headers });
const opens = async (name: string, password: string): Promise<number> =>
  (await sendJson(at, '/api/login', { user: name, password })).status;
const sessionIn = (answer: Response): string =>
  /^frigate_token=([^;]+);/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1] ?? assert.fail('no session');
const deleted = async (name: string): Promise<void> => {
  const answer = await at.ask(`/api/users/${name}`, { method: 'DELETE', token: await at.logIn(ADMIN_PERSON) });
  assert.equal(answer.status, 200);
};
/** What a stranger is told of a link that does not hold: the same for each. */
async function assertVoid(path: string): Promise<void> {
  const json = await accept(path);
  const page = await asStranger(path);
  assert.deepEqual([json.status, page.status], [404, 404]);
  assert.equal(await json.text(), await (await accept(`/invitation/${'x'.repeat(43)}`)).text());
  assert.equal(await page.text(), await (await asStranger('/invitation/none')).text());
}
let guests = 0;
const newName = (): string => `guest${++guests}`;

describe('An invitation', () => {
  it('makes the user with the role of its maker, sets the password by the form of the page, with no script needed or inline, and logs in', async () => {
    const name = newName();
    const { url, path, expiresAt } = await invited(name, { role: 'front_only' });
    assert.match(url, /^https:\/\/nvr\.example\.com\/invitation\/[\w-]{43}$/);
    assert.equal(expiresAt, Math.floor(at.clock.now() / 1000) + LIFETIME);
    const page = await at.ask(path, { headers: { 'accept-language': 'de' } });
    const html = await page.text();
    assert.equal(page.status, 200);
    assert.ok(
      html.includes('Passwort festlegen') && html.includes(`value="${name}"`) && !/<script(?![^>]* src=)/.test(html),
    );
    const unequal = await sendForm(path, { password: PASSWORD, again: 'another one' }, { origin: at.url });
    assert.equal(unequal.status, 400);
    const common = await sendForm(path, { password: 'password1234', again: 'password1234' }, { origin: at.url });
    assert.equal(common.status, 400);
    const done = await sendForm(path, { password: PASSWORD, again: PASSWORD, role: 'admin' }, { origin: at.url });
    assert.deepEqual([done.status, done.headers.get('location')], [303, '/postern/']);
    const session = sessionIn(done);
    const profile = await (await at.ask('/api/profile', { token: session })).json();
    assert.deepEqual(profile, { username: name, role: 'front_only', allowed_cameras: ['cam1'] });
    await assertVoid(path);
  });

  it('is good once, also when it is used twenty times at the same moment', async () => {
    const name = newName();
    const { path } = await invited(name, { role: 'viewer' });
    const passwords = Array.from({ length: 20 }, (_, each) => `MagnesiumLamp77!${each}`);
    const answers = await Promise.all(passwords.map((password) => accept(path, password)));
    const winners = passwords.filter((_, each) => answers[each]?.status === 200);
    assert.equal(winners.length, 1);
    assert.equal(answers.filter((answer) => answer.headers.getSetCookie().length > 0).length, 1);
    assert.equal(await opens(name, winners[0] ?? ''), 200);
    assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [200, 404]);
  });

  it('is void after its end, its revocation, a newer one, another role or password, and when the user is made again', async () => {
    const name = newName();
    const person = { name, role: 'viewer', password: PASSWORD };
    await sendJson(at, '/api/users', { username: name, password: PASSWORD }, await at.logIn(ADMIN_PERSON));
    const { path: older } = await invited(name);
    const { path: newer } = await invited(name);
    await assertVoid(older);
    const admin = await at.logIn(ADMIN_PERSON);
    assert.equal((await at.ask(`/api/users/${name}/invitation`, { method: 'DELETE', token: admin })).status, 200);
    await assertVoid(newer);
    const { path: beforeRole } = await invited(name);
    await sendJson(at, `/api/users/${name}/role`, { role: 'front_only' }, admin, 'PUT');
    await assertVoid(beforeRole);
    const { path: beforePassword } = await invited(name);
    const own = { password: `${PASSWORD}!`, old_password: PASSWORD };
    const changed = await sendJson(at, `/api/users/${name}/password`, own, await at.logIn(person), 'PUT');
    assert.equal(changed.status, 200);
    await assertVoid(beforePassword);
    const { path: ofThePast } = await invited(name);
    await deleted(name);
    await assertVoid(ofThePast);
    at.clock.advance(1);
    await sendJson(at, '/api/users', { username: name, password: PASSWORD }, await at.logIn(ADMIN_PERSON));
    await assertVoid(ofThePast);
    const { path: late } = await invited(name);
    at.clock.advance(LIFETIME - 1);
    assert.equal((await at.ask(late)).status, 200);
    at.clock.advance(1);
    await assertVoid(late);
    assert.equal(await opens(name, PASSWORD), 200);
  });

  it('is void once its maker is no admin, also when the maker becomes one again', async () => {
    const { path } = await invited(newName(), { role: 'admin' }, BOSS);
    const role = async (value: string) =>
      sendJson(at, '/api/users/boss/role', { role: value }, await at.logIn(ADMIN_PERSON), 'PUT');
    assert.equal((await role('viewer')).status, 200);
    await assertVoid(path);
    assert.equal((await role('admin')).status, 200);
    await assertVoid(path);
  });

  it('is void while the account of its maker is over', async () => {
    const until = (at_: number | null) =>
      at
        .logIn(ADMIN_PERSON)
        .then((admin) => sendJson(at, '/api/users/boss/validity', { valid_until: at_ }, admin, 'PUT'));
    const { path } = await invited(newName(), { role: 'admin' }, BOSS);
    assert.equal((await until(Math.floor(at.clock.now() / 1000) + 60)).status, 200);
    assert.equal((await asStranger(path)).status, 200);
    at.clock.advance(60);
    await assertVoid(path);
    assert.equal((await until(null)).status, 200);
  });

  it('is made by admins alone, after a fresh proof, not by an API token, not for oneself', async () => {
    const [vera, admin] = [await at.logIn(VERA), await at.logIn(ADMIN_PERSON)];
    const made = await sendJson(at, '/api/tokens', { name: 'robot', role: 'admin', manage_accounts: true }, admin);
    const { token: robot } = (await made.json()) as { token: string };
    const ask = async (token: string | undefined, user = 'carl') =>
      (await sendJson(at, `/api/users/${user}/invitation`, {}, token)).status;
    assert.deepEqual([await ask(vera), await ask(undefined), await ask(robot)], [403, 401, 403]);
    assert.equal(await ask(admin, 'admin'), 409);
    at.clock.advance(601);
    const late = await sendJson(at, '/api/users/carl/invitation', {}, admin);
    const { reason } = (await late.json()) as { reason: string };
    assert.deepEqual([late.status, reason], [403, 'reauthentication-required']);
  });

  it('of an account with a second factor resets the password alone: the code is asked for, and older sessions are over', async () => {
    const { token } = await enrolled(at, CARL);
    const { path } = await invited('carl');
    const accepted = await accept(path);
    assert.deepEqual([accepted.status, accepted.headers.getSetCookie()], [200, []]);
    assert.equal((await at.ask('/api/profile', { token })).status, 401);
    const login = await sendJson(at, '/api/login', { user: 'carl', password: PASSWORD });
    const { second_factor } = (await login.json()) as { second_factor: string[] };
    assert.deepEqual([login.status, second_factor], [401, ['totp']]);
  });
});

describe('The session that an invitation begins', () => {
  const logins = (name: string) => at.log.filter(({ what, who }) => what === 'login' && who === name);

  it('comes with the answer for programs too, is recorded as a login, and is one of those that the user may have', async () => {
    const name = newName();
    const { path } = await invited(name, { role: 'viewer' });
    const accepted = await accept(path);
    assert.deepEqual(await accepted.clone().json(), { success: true, user: name });
    const token = sessionIn(accepted);
    assert.deepEqual(
      logins(name).map(({ verdict }) => verdict),
      ['allowed'],
    );
    const listed = await (await at.ask('/api/sessions', { token })).json();
    assert.equal((listed as unknown[]).length, 1);
  });

  it('does not begin before the account does: the person is told when', async () => {
    const name = newName();
    const from = Math.floor(at.clock.now() / 1000) + 86_400;
    const { path } = await invited(name, { role: 'viewer', valid_from: from });
    const year = String(new Date(from * 1000).getFullYear());
    assert.match(await (await at.ask(path)).text(), new RegExp(`Your account is valid from <time [^<]*${year}`));
    const done = await sendForm(path, { password: PASSWORD, again: PASSWORD }, { origin: at.url });
    assert.deepEqual([done.status, done.headers.getSetCookie(), logins(name)], [200, [], []]);
    assert.match(await done.text(), new RegExp(`Done\\. You can log in from <time [^<]*${year}`));
  });

  it('can do nothing but set up a second factor, where one is owed', async () => {
    const name = newName();
    const { path } = await invited(name, { role: 'viewer' });
    assert.equal((await at.reload(configWith({ second_factor: 'everyone' }))).isTaken, true);
    const token = sessionIn(await accept(path));
    const before = nvr.received.length;
    assert.deepEqual(
      [(await at.ask('/api/second-factor', { token })).status, (await at.ask('/api/config', { token })).status],
      [200, 403],
    );
    assert.equal(nvr.received.length, before);
    assert.equal((await at.reload(configWith({ second_factor: 'optional' }))).isTaken, true);
  });

  it('begins with a password only where passwords are good for a login', async () => {
    const [guest, chief] = [newName(), newName()];
    const links = [await invited(guest, { role: 'viewer' }), await invited(chief, { role: 'admin' })];
    assert.equal((await at.reload(configWith({ password_login: 'admins' }))).isTaken, true);
    const answers = await Promise.all(links.map(({ path }) => accept(path)));
    assert.deepEqual(
      answers.map((answer) => [answer.status, answer.headers.getSetCookie().length]),
      [
        [200, 0],
        [200, 1],
      ],
    );
    assert.equal((await at.reload(configWith({ password_login: 'everyone' }))).isTaken, true);
  });
});

describe('The secret of an invitation', () => {
  it('stays out of Referer, caches, logs, lists and the NVR', async () => {
    const { path } = await invited(newName(), { role: 'viewer' });
    const secret = path.slice(-43);
    const page = await at.ask(path);
    assert.equal(page.headers.get('referrer-policy'), 'strict-origin', 'the host, and nothing of the path');
    assert.equal(page.headers.get('cache-control'), 'no-store');
    assert.doesNotMatch(await page.text(), new RegExp(secret));
    const ways = [path, `/INVITATION/${secret}`, `/%69nvitation/${secret}`, `/x${path}`];
    // As programs cut links out of letters and sentences.
    const ends = ['', '/', '/x', '.', ')', '%20', '%E2%80%9D', '&x=1', ';'];
    for (const odd of [...ways.flatMap((way) => ends.map((end) => way + end)), `${path}-`, `${path}_x`])
      for (const method of ['GET', 'PUT']) await at.ask(odd, { method });
    const list = await at.ask('/api/invitations', { token: await at.logIn(ADMIN_PERSON) });
    assert.equal(list.status, 200);
    assert.doesNotMatch(await list.text(), new RegExp(secret));
    assert.ok(at.log.some((line) => line['path'] === '/invitation/…'));
    assert.doesNotMatch(JSON.stringify(at.log), new RegExp(secret));
    assert.doesNotMatch(JSON.stringify(nvr.received.map(({ target }) => target)), new RegExp(secret));
  });

  it('is of no use to a page of another site; by its own page it takes the place of another person who is logged in', async () => {
    const { path } = await invited('vera');
    const fields = { password: PASSWORD, again: PASSWORD };
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }, { origin: 'null' }])
      for (const answer of [
        await sendForm(path, fields, headers as Record<string, string>),
        await at.ask(path, {
          method: 'POST',
          headers: { ...(headers as Record<string, string>), 'content-type': 'application/json' },
          body: JSON.stringify({ password: PASSWORD }),
        }),
      ])
        assert.deepEqual([answer.status, answer.headers.getSetCookie()], [403, []]);
    const other = await at.logIn(BOSS);
    const cookie = `frigate_token=${other}`;
    const own = await sendForm(path, fields, { origin: at.url, cookie });
    const profile = await (await at.ask('/api/profile', { token: sessionIn(own) })).json();
    assert.equal((profile as { username: string }).username, 'vera');
  });

  it('cannot be guessed at speed: 20 tokens a minute from one address, and others are not kept out', async () => {
    const from = (address: string) => at.ask('/invitation/none', { headers: { 'x-forwarded-for': address } });
    const statuses: number[] = [];
    for (let each = 0; each < 21; each += 1) statuses.push((await from('203.0.113.9')).status);
    assert.deepEqual([statuses.at(19), statuses.at(20)], [404, 429]);
    assert.equal((await from('203.0.113.10')).status, 404);
  });

  it('each use and each making has its audit line', () => {
    const seen = at.log.filter(({ what }) => String(what).startsWith('invitation-'));
    const kinds = new Set(seen.map(({ what, verdict, reason }) => [what, verdict, reason ?? ''].join(' ').trim()));
    for (const kind of [
      'invitation-made allowed',
      'invitation-made refused own-account',
      'invitation-revoked allowed',
      'invitation-used allowed',
      'invitation-used refused invitation-void',
      'invitation-used refused password-unfit',
    ])
      assert.ok(kinds.has(kind), kind);
  });
});
