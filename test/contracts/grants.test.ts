/**
 * The contract of every grant (API token, link, screen, invitation, reset link): a secret that a person makes, worth at most what its maker
 * is worth now, with an end and a revocation that act on the next request. Each sentence runs for each kind; what the NVR did not receive is the proof.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { movableClock } from '../support/clock.ts';
import { startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, type Person } from '../support/people.ts';
import { displayAddress, pairScreen } from '../support/screens.ts';
import { sendJson } from '../support/second-factor.ts';
import { cookieFor } from '../support/sessions.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';

const nvr = await startFakeNvr();
const CONFIG = {
  auth: {
    trusted_proxies: ['127.0.0.1/32'],
    roles: { yard: ['cam1'], street: ['cam2'], front_only: ['cam1'] },
    failed_login_rate_limit: '1000/minute',
    session_length: 90 * 86_400,
    invitation_lifetime: 600,
  },
  nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] },
};
const directory = mkdtempSync(join(tmpdir(), 'postern-grants-'));
const clock = movableClock();
let at: Runtime = await startInstance({ people: [ADMIN_PERSON, CARL], config: CONFIG, directory, clock });
after(async () => {
  await at.close();
  await nvr.close();
  rmSync(directory, { recursive: true, force: true });
});

const PASSWORD = 'TungstenLamp99!!!';
const INVITED_PASSWORD = 'MagnesiumLamp77!';
const SECONDS = 600;
const PICTURE = '/api/cam1/latest.jpg';
const now = (): number => Math.floor(clock.now() / 1000);

interface Grant {
  /** As the list of its kind names it. */
  readonly id: string;
  readonly secret: string;
  /** Whether it opens anything. `secret`: another one in its place. */
  holds(secret?: string): Promise<boolean>;
  revoke(by: Person): Promise<number>;
}

/** A grant that sets a password, once: the status of an attempt. */
interface OnceGrant extends Grant {
  use(password: string): Promise<number>;
}

interface Kind {
  readonly name: string;
  /** The role that its makers need. */
  readonly role: 'viewer' | 'admin';
  readonly list: string;
  readonly key: 'id' | 'user';
  /** It ends after `SECONDS`. */
  make(maker: Person): Promise<Grant>;
}

async function opens(path: string, headers: Record<string, string>): Promise<boolean> {
  nvr.received.splice(0);
  const answer = await at.ask(path, { headers: { 'x-forwarded-for': displayAddress(), ...headers } });
  await answer.arrayBuffer();
  const holds = answer.status === 200;
  assert.equal(nvr.received.length, holds ? 1 : 0, `${answer.status}: ${JSON.stringify(nvr.received)}`);
  return holds;
}
const json = async (answer: Response, status: number): Promise<Record<string, string>> => {
  assert.equal(answer.status, status, await answer.clone().text());
  return (await answer.json()) as Record<string, string>;
};
const revokeAt = (path: string) => async (by: Person) =>
  (await sendJson(at, path, {}, await at.logIn(by), 'DELETE')).status;

const KINDS: readonly Kind[] = [
  {
    name: 'An API token',
    role: 'viewer',
    list: '/api/tokens',
    key: 'id',
    async make(maker) {
      const wanted = { name: 'x', cameras: ['cam1'], expires_at: now() + SECONDS };
      const { id = '', token = '' } = await json(await sendJson(at, '/api/tokens', wanted, await at.logIn(maker)), 201);
      return {
        id,
        secret: token,
        holds: (secret = token) => opens(PICTURE, { authorization: `Bearer ${secret}` }),
        revoke: revokeAt(`/api/tokens/${id}`),
      };
    },
  },
  {
    name: 'A link',
    role: 'viewer',
    list: '/api/links',
    key: 'id',
    async make(maker) {
      const wanted = { what: { live: { camera: 'cam1' } }, expires_in: SECONDS };
      const { id = '', url = '' } = await json(await sendJson(at, '/api/links', wanted, await at.logIn(maker)), 201);
      const made = url.slice('/s/'.length);
      return {
        id,
        secret: made,
        holds: (secret = made) => opens(`/s/${secret}/snapshot.jpg`, {}),
        revoke: revokeAt(`/api/links/${id}`),
      };
    },
  },
  {
    name: 'A screen',
    role: 'viewer',
    list: '/api/screens',
    key: 'id',
    async make(maker) {
      const { id, cookie } = await pairScreen(at, await at.logIn(maker), { ends_at: now() + SECONDS });
      const [name = '', made = ''] = cookie.split('=');
      return {
        id,
        secret: made,
        holds: (secret = made) => opens(PICTURE, { cookie: `${name}=${secret}` }),
        revoke: revokeAt(`/api/screens/${id}`),
      };
    },
  },
];

/** With a role the user is made; without one the user is there, and the link sets another password. */
async function passwordLink(maker: Person, user: string, role?: string): Promise<OnceGrant> {
  const path = `/api/users/${user}/invitation`;
  const { url = '' } = await json(await sendJson(at, path, { role }, await at.logIn(maker)), 201);
  const made = url.split('/').at(-1) ?? '';
  const accept = async (secret: string, password: string): Promise<number> => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': displayAddress() };
    const body = JSON.stringify({ password });
    return (await at.ask(`/invitation/${secret}`, { method: 'POST', headers, body })).status;
  };
  return {
    id: user,
    secret: made,
    async holds(secret = made) {
      // A password that is too short is judged after the link, and uses nothing up.
      const held = (await accept(secret, 'short')) !== 404;
      if (!held) assert.equal(await accept(secret, INVITED_PASSWORD), 404);
      assert.equal(await passwordStatus(user, INVITED_PASSWORD), 401);
      return held;
    },
    use: (password) => accept(made, password),
    revoke: revokeAt(path),
  };
}
const passwordStatus = async (user: string, password: string): Promise<number> =>
  (await sendJson(at, '/api/login', { user, password })).status;

interface OnceKind extends Kind {
  make(maker: Person): Promise<OnceGrant>;
}
const FOR_PASSWORDS = { role: 'admin', list: '/api/invitations', key: 'user' } as const;
const ONCE_KINDS: readonly OnceKind[] = [
  { name: 'An invitation', ...FOR_PASSWORDS, make: (maker) => passwordLink(maker, newName(), 'viewer') },
  {
    name: 'A reset link',
    ...FOR_PASSWORDS,
    make: async (maker) => passwordLink(maker, (await newPerson('viewer')).name),
  },
];

let names = 0;
const newName = (): string => `person${++names}`;
const asAdmin = async (path: string, method: string, body: object = {}): Promise<void> => {
  const answer = await sendJson(at, path, body, await at.logIn(ADMIN_PERSON), method);
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${await answer.text()}`);
};
async function newPerson(role: string, name = newName()): Promise<Person> {
  await asAdmin('/api/users', 'POST', { username: name, password: PASSWORD, role });
  return { name, role, password: PASSWORD };
}
const listed = async ({ list, key }: Kind, by: Person): Promise<{ readonly ids: string[]; readonly text: string }> => {
  const text = await (await at.ask(list, { token: await at.logIn(by) })).text();
  const entries = JSON.parse(text) as Record<string, string>[] | { readonly message: string };
  return { ids: Array.isArray(entries) ? entries.map((entry) => entry[key] ?? '') : [], text };
};
const restart = async (): Promise<void> => {
  await at.close();
  at = await startInstance({ people: [], config: CONFIG, directory, clock });
};
/** An invitation ends with the account that it is for as well. */
const boundTo = ({ key }: Kind, maker: Person, grant: Grant): string => (key === 'user' ? grant.id : maker.name);
/** Another letter in the middle: the last one of base64url holds bits that count for nothing. */
const forged = (secret: string): string => {
  const middle = secret.length - 20;
  return `${secret.slice(0, middle)}${secret[middle] === '0' ? '1' : '0'}${secret.slice(middle + 1)}`;
};

for (const kind of [...KINDS, ...ONCE_KINDS]) {
  const newMaker = () => newPerson(kind.role);

  describe(kind.name, () => {
    it('opens what it is for by its secret, and by no other', async () => {
      const grant = await kind.make(await newMaker());
      assert.equal(await grant.holds(), true);
      for (const secret of [forged(grant.secret), grant.secret.slice(0, -1), `${grant.secret}A`, grant.id])
        assert.equal(await grant.holds(secret), false, secret);
    });

    it('is listed to its maker and to admins without its secret, and to no other', async () => {
      const maker = await newMaker();
      const grant = await kind.make(maker);
      for (const by of [maker, ADMIN_PERSON]) {
        const { ids, text } = await listed(kind, by);
        assert.ok(ids.includes(grant.id), by.name);
        assert.ok(!text.includes(grant.secret.slice(-20)), by.name);
      }
      assert.ok(!(await listed(kind, CARL)).ids.includes(grant.id));
    });

    it('is kept as a digest: its secret is in no file of the store', async () => {
      const { secret } = await kind.make(await newMaker());
      for (const file of readdirSync(directory).filter((name) => name.startsWith('postern.db')))
        assert.equal(readFileSync(join(directory, file)).includes(secret.slice(-20)), false, file);
    });

    it('ends with the next request by its revocation, which is for its maker and for admins', async () => {
      const maker = await newMaker();
      for (const by of [maker, ADMIN_PERSON]) {
        const grant = await kind.make(maker);
        assert.equal(await grant.holds(), true);
        assert.ok([403, 404].includes(await grant.revoke(CARL)));
        assert.equal(await grant.holds(), true);
        assert.equal(await grant.revoke(by), 200);
        assert.equal(await grant.holds(), false);
        assert.equal(await grant.revoke(by), 404);
        await restart();
        assert.equal(await grant.holds(), false);
      }
    });

    it('ends at its second', async () => {
      const grant = await kind.make(await newMaker());
      clock.advance(SECONDS - 1);
      assert.equal(await grant.holds(), true);
      clock.advance(1);
      assert.equal(await grant.holds(), false);
    });

    it('ends with its maker, and does not come back with a new user of that name', async () => {
      const maker = await newMaker();
      const grant = await kind.make(maker);
      assert.equal(await grant.holds(), true);
      await asAdmin(`/api/users/${maker.name}`, 'DELETE');
      assert.equal(await grant.holds(), false);
      clock.advance(2);
      const again = await newPerson(kind.role, maker.name);
      assert.equal(await grant.holds(), false);
      assert.ok(kind.role === 'admin' || !(await listed(kind, again)).ids.includes(grant.id));
    });

    it('belongs to an account and not to a name: with another account under it, which another process wrote, it opens nothing', async () => {
      const maker = await newMaker();
      const grant = await kind.make(maker);
      assert.equal(await grant.holds(), true);
      const older = `update users set created_at = created_at - 60 where name = '${boundTo(kind, maker, grant)}'`;
      const file = new DatabaseSync(join(directory, 'postern.db'));
      assert.equal(file.prepare(older).run().changes, 1);
      file.close();
      await until('the change is heard of', async () => !(await grant.holds()));
    });

    it('is worth nothing while its maker is a guest whose time is over', async () => {
      const maker = await newMaker();
      const grant = await kind.make(maker);
      await asAdmin(`/api/users/${maker.name}/validity`, 'PUT', { valid_until: now() + 60 });
      assert.equal(await grant.holds(), true);
      clock.advance(60);
      assert.equal(await grant.holds(), false);
    });

    it('outlives a reload and a restart', async () => {
      const grant = await kind.make(await newMaker());
      await at.reload({ ...CONFIG, logger: { default: 'debug' } });
      assert.equal(await grant.holds(), true);
      await at.reload(CONFIG);
      assert.equal(await grant.holds(), true);
      await restart();
      assert.equal(await grant.holds(), true);
    });

    if (kind.role === 'viewer')
      it('loses a camera with its maker, at the next request, and what a reload takes from the role of its maker', async () => {
        const maker = await newPerson('yard');
        const grant = await kind.make(maker);
        assert.equal(await grant.holds(), true);
        await asAdmin(`/api/users/${maker.name}/role`, 'PUT', { role: 'street' });
        assert.equal(await grant.holds(), false);
        await asAdmin(`/api/users/${maker.name}/role`, 'PUT', { role: 'yard' });
        assert.equal(await grant.holds(), true);
        const roles = { ...CONFIG.auth.roles, yard: ['cam2'] };
        await at.reload({ ...CONFIG, auth: { ...CONFIG.auth, roles } });
        assert.equal(await grant.holds(), false);
        await at.reload(CONFIG);
        assert.equal(await grant.holds(), true);
      });

    if (kind.role === 'viewer')
      it('is made of no other person’s cameras, and shows a session nothing of its own', async () => {
        const maker = await newPerson('street');
        const made = await kind.make(maker).catch(() => undefined);
        assert.equal((await made?.holds()) ?? false, false);
        const session = await at.logIn(maker);
        assert.equal(await opens(PICTURE, { cookie: cookieFor(session) }), false);
      });

    if (kind.role === 'viewer')
      it('does not come back from its end by a clock that is set back', async () => {
        const grant = await kind.make(await newMaker());
        clock.advance(SECONDS);
        assert.equal(await grant.holds(), false);
        clock.advance(-3);
        assert.equal(await grant.holds(), false);
        clock.advance(3);
      });
  });
}

for (const { name, role, make } of ONCE_KINDS) {
  describe(`${name}, which is good once,`, () => {
    it('sets one password, also where several requests bring it at the same time', async () => {
      const grant = await make(await newPerson(role));
      const passwords = ['a', 'b', 'c', 'd'].map((letter) => `${INVITED_PASSWORD}${letter}`);
      const statuses = await Promise.all(passwords.map(grant.use));
      assert.deepEqual([...statuses].sort(), [200, 404, 404, 404]);
      const logins: number[] = [];
      for (const password of passwords) logins.push(await passwordStatus(grant.id, password));
      assert.deepEqual(
        logins.map((status) => status === 200),
        statuses.map((status) => status === 200),
      );
      assert.equal(await grant.holds(), false);
      await restart();
      assert.equal(await grant.holds(), false);
      assert.ok(!(await listed({ ...FOR_PASSWORDS, name, make }, ADMIN_PERSON)).ids.includes(grant.id));
    });

    it('is void with the next request once there is a newer one for the same user, also of another admin', async () => {
      const grant = await make(await newPerson(role));
      assert.equal(await grant.holds(), true);
      const newer = await passwordLink(ADMIN_PERSON, grant.id);
      assert.equal(await grant.holds(), false);
      assert.equal(await newer.holds(), true);
    });

    it('ends with the user that it is for, and sets no password of a new user of that name', async () => {
      const grant = await make(await newPerson(role));
      await asAdmin(`/api/users/${grant.id}`, 'DELETE');
      assert.equal(await grant.holds(), false);
      clock.advance(2);
      const again = await newPerson('viewer', grant.id);
      assert.equal(await grant.holds(), false);
      assert.equal(await passwordStatus(again.name, PASSWORD), 200);
    });
  });
}

it('A reset link leaves the password and the sessions until it is used, and ends both with its use', async () => {
  const user = await newPerson('viewer');
  const cookie = cookieFor(await at.logIn(user));
  clock.advance(2);
  const link = await passwordLink(ADMIN_PERSON, user.name);
  assert.equal(await link.holds(), true);
  assert.deepEqual([await opens(PICTURE, { cookie }), await passwordStatus(user.name, PASSWORD)], [true, 200]);
  assert.equal(await link.use(INVITED_PASSWORD), 200);
  assert.deepEqual([await opens(PICTURE, { cookie }), await passwordStatus(user.name, PASSWORD)], [false, 401]);
  assert.equal(await passwordStatus(user.name, INVITED_PASSWORD), 200);
});
