/** Attacks on invitations that are accepted by a passkey, each proved by who can log in afterwards (SPEC 12). */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startFakeNvr } from '../support/fake-nvr.ts';
import { askedForPasskey, type CreationOptions, logInByPasskey, withPasskey } from '../support/passkeys.ts';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../support/people.ts';
import { enrolled, sendJson } from '../support/second-factor.ts';
import { sessionIn } from '../support/sessions.ts';
import { type Lies, made, newPasskey, ORIGIN, type SoftPasskey, shown } from '../support/soft-authenticator.ts';
import { startInstance } from '../support/start-instance.ts';

const LIFETIME = 7200;
const PASSWORD = 'MagnesiumLamp77!';
const nvr = await startFakeNvr();
const at = await startInstance({
  people: [ADMIN_PERSON, VERA, CARL],
  config: {
    server: { public_url: ORIGIN },
    auth: { invitation_lifetime: LIFETIME, failed_login_rate_limit: '1000/minute' },
    nvr: { url: nvr.url, cameras: ['cam1'] },
  },
});
after(async () => {
  await at.close();
  await nvr.close();
});

let guests = 0;
const newName = (): string => `guest${++guests}`;
async function invited(name: string, body: object = { role: 'viewer' }): Promise<string> {
  const answer = await sendJson(at, `/api/users/${name}/invitation`, body, await at.logIn(ADMIN_PERSON));
  assert.equal(answer.status, 201);
  return new URL(((await answer.json()) as { url: string }).url).pathname;
}
const askOptions = (path: string, token?: string): Promise<Response> =>
  sendJson(at, `${path}/passkey/options`, {}, token);
async function optionsOf(path: string): Promise<CreationOptions & { authenticatorSelection: unknown }> {
  const answer = await askOptions(path);
  assert.equal(answer.status, 200, await answer.clone().text());
  return (await answer.json()) as CreationOptions & { authenticatorSelection: unknown };
}
const sendPasskey = (path: string, credential: object, more: object = {}): Promise<Response> =>
  sendJson(at, `${path}/passkey`, { credential, ...more });
async function accepted(path: string): Promise<SoftPasskey> {
  const passkey = newPasskey();
  const answer = await sendPasskey(path, made(passkey, await optionsOf(path)));
  assert.equal(answer.status, 200);
  assert.equal((await at.ask('/api/profile', { token: sessionIn(answer) ?? '' })).status, 200);
  return passkey;
}
/** Alone, as after an invitation; the session, or undefined. */
async function logsIn(passkey: SoftPasskey): Promise<string | undefined> {
  const options = await askedForPasskey(at);
  return sessionIn(await logInByPasskey(at, shown(passkey, options), options));
}
const holds = async (path: string): Promise<boolean> => (await at.ask(path)).status === 200;
/** Nothing changed: the link holds, and no passkey logs in. */
async function assertRefused(path: string, passkey: SoftPasskey, answer: Response, status: number): Promise<void> {
  assert.equal(answer.status, status, await answer.clone().text());
  assert.equal(await logsIn(passkey), undefined);
  assert.equal(await holds(path), true);
}

describe('An invitation that is accepted by a passkey', () => {
  it('adds a passkey that verifies its user, logs in, and leaves no password that a person knows', async () => {
    const name = newName();
    const link = await invited(name, { role: 'front_only' });
    const options = await optionsOf(link);
    const selection = { residentKey: 'required', requireResidentKey: true, userVerification: 'required' };
    assert.deepEqual([options.authenticatorSelection, options.excludeCredentials], [selection, []]);
    const passkey = await accepted(link);
    const session = await logsIn(passkey);
    assert.equal((await at.ask('/api/version', { token: session ?? '' })).status, 200);
    assert.deepEqual([nvr.lastHeader('remote-user')[0], nvr.lastHeader('remote-role')[0]], [name, 'front_only']);
    const factors = (await (await at.ask('/api/second-factor', { token: session ?? '' })).json()) as {
      passkeys: { name: string }[];
      recovery_codes_left: number;
    };
    assert.deepEqual([factors.passkeys.map((row) => row.name), factors.recovery_codes_left], [['Passkey'], 0]);
    const used = at.log.findLast(({ what }) => what === 'invitation-used') ?? {};
    assert.deepEqual([used['verdict'], used['user'], used['factor']], ['allowed', name, 'passkey']);
  });

  it('leaves a way into the account: its only passkey stays until there is a password or another one', async () => {
    const passkey = await accepted(await invited(newName()));
    const token = (await logsIn(passkey)) ?? '';
    const remove = (): Promise<Response> =>
      sendJson(at, `/api/second-factor/passkeys/${passkey.id.toString('base64url')}`, {}, token, 'DELETE');
    const refused = await remove();
    const { reason, message } = Object(await refused.json());
    assert.deepEqual([refused.status, reason], [409, 'last-way-in']);
    assert.match(message, /add another passkey/);
    assert.notEqual(await logsIn(passkey), undefined);
    const options = await sendJson(at, '/api/second-factor/passkeys/options', {}, token);
    const another = newPasskey();
    const credential = made(another, (await options.json()) as CreationOptions);
    assert.equal((await sendJson(at, '/api/second-factor/passkeys', { credential }, token)).status, 201);
    assert.equal((await remove()).status, 200);
    assert.deepEqual([await logsIn(passkey), (await logsIn(another)) !== undefined], [undefined, true]);
  });

  it('replaces a password that was there: it opens nothing, and its sessions are over', async () => {
    const name = newName();
    const person: Person = { name, role: 'viewer', password: PASSWORD };
    await sendJson(at, '/api/users', { username: name, password: PASSWORD }, await at.logIn(ADMIN_PERSON));
    const token = await at.logIn(person);
    await accepted(await invited(name, {}));
    assert.equal((await at.ask('/api/version', { token })).status, 401);
    const login = await sendJson(at, '/api/login', { user: name, password: PASSWORD });
    assert.equal(login.status, 401);
    assert.equal(((await login.json()) as { second_factor?: unknown }).second_factor, undefined);
  });

  it('is good once, by passkeys and by passwords at the same moment', async () => {
    const name = newName();
    const link = await invited(name);
    const passkeys = Array.from({ length: 6 }, newPasskey);
    const credentials = await Promise.all(passkeys.map(async (passkey) => made(passkey, await optionsOf(link))));
    const passwords = Array.from({ length: 6 }, (_, each) => `${PASSWORD}${each}`);
    const answers = await Promise.all([
      ...credentials.map((credential) => sendPasskey(link, credential)),
      ...passwords.map((password) => sendJson(at, link, { password })),
    ]);
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, ...Array.from({ length: 11 }, () => 404)]);
    const openedBy = [
      ...(await Promise.all(passkeys.map(logsIn))).map((session) => session !== undefined),
      ...(await Promise.all(passwords.map((password) => sendJson(at, '/api/login', { user: name, password })))).map(
        ({ status }) => status === 200,
      ),
    ];
    assert.deepEqual(
      openedBy,
      answers.map(({ status }) => status === 200),
    );
  });

  it('takes a response once, and none that answers the challenge of another link, a session or a login', async () => {
    const [link, other] = [await invited(newName()), await invited(newName())];
    const passkey = newPasskey();
    const credential = made(passkey, await optionsOf(other));
    await assertRefused(link, passkey, await sendPasskey(link, credential), 400);
    const { token } = await withPasskey(at, VERA);
    const forSession = (await (
      await sendJson(at, '/api/second-factor/passkeys/options', {}, token)
    ).json()) as CreationOptions;
    await assertRefused(link, passkey, await sendPasskey(link, made(passkey, forSession)), 400);
    const { challenge } = await askedForPasskey(at);
    const { user } = await optionsOf(link);
    await assertRefused(link, passkey, await sendPasskey(link, made(passkey, { challenge, user })), 400);
    // The other way round: what a link asks for adds nothing to the account of a session.
    const forLink = made(newPasskey(), await optionsOf(link));
    const added = await sendJson(at, '/api/second-factor/passkeys', { credential: forLink }, token);
    assert.equal(added.status, 400);
    assert.equal((await sendPasskey(other, credential)).status, 200);
    assert.equal((await sendPasskey(other, credential)).status, 404);
  });

  it('adds no passkey of another person a second time', async () => {
    const { passkey } = await withPasskey(at, await newcomer());
    const link = await invited(newName());
    const handle = passkey.userHandle;
    const answer = await sendPasskey(link, made(passkey, await optionsOf(link)));
    assert.equal(answer.status, 409);
    passkey.userHandle = handle;
    assert.notEqual(await logsIn(passkey), undefined);
    assert.equal(await holds(link), true);
  });

  // biome-ignore format: a table
  const lies: [lie: string, told: Lies][] = [
    ['does not verify its user',           { isUserVerified: false }],
    ['is made for another origin',         { origin: 'https://evil.example' }],
    ['is made for another RP ID',          { rpId: 'evil.example' }],
    ['is made within another site',        { crossOrigin: true }],
    ['answers as at a login',              { type: 'webauthn.get' }],
  ];
  for (const [lie, told] of lies)
    it(`takes no passkey that ${lie}`, async () => {
      const link = await invited(newName());
      const passkey = newPasskey();
      await assertRefused(link, passkey, await sendPasskey(link, made(passkey, await optionsOf(link), told)), 400);
    });

  it('does not add one beside a second factor: that would be a way around it', async () => {
    await enrolled(at, CARL);
    const link = await invited('carl', {});
    assert.equal((await askOptions(link)).status, 409);
    const passkey = newPasskey();
    const { user, challenge } = await optionsOf(await invited(newName()));
    await assertRefused(link, passkey, await sendPasskey(link, made(passkey, { user, challenge })), 409);
    assert.doesNotMatch(await (await at.ask(link)).text(), new RegExp(`data-passkeys="${ORIGIN}"`));
  });

  it('nor one that was set up after the passkey was asked for', async () => {
    const person = await newcomer();
    const link = await invited(person.name, {});
    const passkey = newPasskey();
    const credential = made(passkey, await optionsOf(link));
    await enrolled(at, person);
    await assertRefused(link, passkey, await sendPasskey(link, credential), 409);
  });

  it('is void after its end, its revocation and a newer link, also when the passkey was asked for before', async () => {
    const name = newName();
    const [link, passkey] = [await invited(name), newPasskey()];
    const credential = made(passkey, await optionsOf(link));
    const newer = await invited(name, {});
    assert.equal((await sendPasskey(link, credential)).status, 404);
    const second = made(passkey, await optionsOf(newer));
    const admin = await at.logIn(ADMIN_PERSON);
    await at.ask(`/api/users/${name}/invitation`, { method: 'DELETE', token: admin });
    assert.equal((await sendPasskey(newer, second)).status, 404);
    const last = await invited(name, {});
    at.clock.advance(LIFETIME - 1);
    const late = made(passkey, await optionsOf(last));
    at.clock.advance(1);
    assert.equal((await sendPasskey(last, late)).status, 404);
    assert.equal((await askOptions(last)).status, 404);
    assert.equal(await logsIn(passkey), undefined);
  });

  it('asks for a passkey anew after five minutes', async () => {
    const link = await invited(newName());
    const passkey = newPasskey();
    const credential = made(passkey, await optionsOf(link));
    at.clock.advance(300);
    await assertRefused(link, passkey, await sendPasskey(link, credential), 400);
  });

  it('is of no use to a page of another site, and bodies that are none are refused', async () => {
    const link = await invited(newName());
    const headers = { origin: 'https://evil.example', 'content-type': 'application/json' };
    for (const path of [`${link}/passkey/options`, `${link}/passkey`])
      assert.equal((await at.ask(path, { method: 'POST', headers, body: '{}' })).status, 403);
    assert.equal((await sendPasskey(link, { id: 'x' })).status, 422);
    assert.equal((await sendPasskey(link, made(newPasskey(), await optionsOf(link)), { name: '\n' })).status, 422);
    assert.equal(await holds(link), true);
  });
});

async function newcomer(): Promise<Person> {
  const person = { name: newName(), role: 'viewer', password: PASSWORD };
  const body = { username: person.name, password: PASSWORD };
  assert.equal((await sendJson(at, '/api/users', body, await at.logIn(ADMIN_PERSON))).status, 200);
  return person;
}
