import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ensureFirstAdmin } from '../../../src/accounts/login/first-admin.ts';
import { addUser, setPassword } from '../../../src/accounts/users/users.ts';
import { startAccountServer } from '../support/account-server.ts';
import { handMadeToken } from '../support/hand-made-token.ts';
import { NOW, PASSWORD, person, quickHasher, userServices } from '../support/people.ts';

const YEAR = 31_536_000;
const OTHER = 'chosen while the clock was wrong';

type AccountServer = Awaited<ReturnType<typeof startAccountServer>>;

const profileOf = async ({ send }: AccountServer, cookie: string): Promise<number> =>
  (await send('GET', '/api/profile', { headers: { cookie } })).status;

async function logIn({ send }: AccountServer, user: string, password: string): Promise<string> {
  const { status, headers } = await send('POST', '/api/login', { body: { user, password } });
  assert.equal(status, 200);
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

const usersOf = ({ store, clock }: AccountServer) => userServices(store, clock);

describe('After a clock that was a year ahead is right again', () => {
  it('a login is good although the password was changed in that year', async (t) => {
    const server = await startAccountServer(t);
    await server.store.addUser(await person('vera'));
    server.clock.at(NOW + YEAR);
    const changed = await setPassword('vera', OTHER, usersOf(server));
    assert.ok(changed);
    server.clock.at(NOW);
    const cookie = await logIn(server, 'vera', OTHER);
    assert.equal(await profileOf(server, cookie), 200);
    server.clock.advance(3600);
    assert.equal(await profileOf(server, cookie), 200);
  });

  it('a login is good although the account was made in that year', async (t) => {
    const server = await startAccountServer(t);
    server.clock.at(NOW + YEAR);
    await addUser({ name: 'newcomer', password: PASSWORD, role: 'viewer' }, usersOf(server));
    server.clock.at(NOW);
    assert.equal(await profileOf(server, await logIn(server, 'newcomer', PASSWORD)), 200);
  });

  it('a change of password still ends the sessions before it', async (t) => {
    const server = await startAccountServer(t);
    await server.store.addUser(await person('vera', { passwordChangedAt: NOW + YEAR }));
    const before = await logIn(server, 'vera', PASSWORD);
    await setPassword('vera', OTHER, usersOf(server));
    assert.equal(await profileOf(server, before), 401);
    assert.equal(await profileOf(server, await logIn(server, 'vera', OTHER)), 200);
  });

  it('a token of the NVR is refused until "users password" sets the time right', async (t) => {
    const server = await startAccountServer(t);
    await server.store.addUser(await person('vera', { passwordChangedAt: NOW + YEAR }));
    const payload = { sub: 'vera', role: 'viewer', iat: NOW + 1, exp: NOW + 100 };
    const cookie = `frigate_token=${handMadeToken({ payload })}`;
    assert.equal(await profileOf(server, cookie), 401);
    await setPassword('vera', OTHER, usersOf(server));
    assert.equal(await profileOf(server, cookie), 200);
  });

  it('the reset of the admin password lets the admin in', async (t) => {
    const server = await startAccountServer(t);
    const { store, clock } = server;
    await store.addUser(
      await person('admin', { role: 'admin', passwordChangedAt: NOW + YEAR, createdAt: NOW + YEAR - 1 }),
    );
    const made = await ensureFirstAdmin({ store, clock, hasher: quickHasher(), reset: true });
    assert.equal(await profileOf(server, await logIn(server, 'admin', made?.password ?? '')), 200);
    assert.equal((await store.findUser('admin'))?.passwordChangedAt, NOW);
  });
});
