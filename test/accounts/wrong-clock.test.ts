import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ensureFirstAdmin } from '../../src/accounts/login/first-admin.ts';
import { createUsers } from '../../src/accounts/users/users.ts';
import { handMadeToken } from './support/hand-made-token.ts';
import { NOW, PASSWORD, person, quickHasher, ROLES } from './support/people.ts';
import { startDesk } from './support/start-desk.ts';

const YEAR = 31_536_000;
const OTHER = 'chosen while the clock was wrong';

type Desk = Awaited<ReturnType<typeof startDesk>>;

const profileOf = async ({ desk }: Desk, cookie: string): Promise<number> =>
  (await desk('GET', '/api/profile', { headers: { cookie } })).status;

async function logIn({ desk }: Desk, user: string, password: string): Promise<string> {
  const { status, headers } = await desk('POST', '/api/login', { body: { user, password } });
  assert.equal(status, 200);
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

const usersOf = ({ store, clock }: Desk) => createUsers({ store, clock, hasher: quickHasher(), roles: () => ROLES });

describe('After a clock that was a year ahead is right again', () => {
  it('a login is good although the password was changed in that year', async (t) => {
    const desk = await startDesk(t);
    await desk.store.addUser(await person('vera'));
    desk.clock.at(NOW + YEAR);
    const changed = await usersOf(desk).setPassword('vera', OTHER);
    assert.equal(changed.ok, true);
    desk.clock.at(NOW);
    const cookie = await logIn(desk, 'vera', OTHER);
    assert.equal(await profileOf(desk, cookie), 200);
    desk.clock.advance(3600);
    assert.equal(await profileOf(desk, cookie), 200);
  });

  it('a login is good although the account was made in that year', async (t) => {
    const desk = await startDesk(t);
    desk.clock.at(NOW + YEAR);
    await usersOf(desk).add({ name: 'newcomer', password: PASSWORD, role: 'viewer' });
    desk.clock.at(NOW);
    assert.equal(await profileOf(desk, await logIn(desk, 'newcomer', PASSWORD)), 200);
  });

  it('a change of password still ends the sessions before it', async (t) => {
    const desk = await startDesk(t);
    await desk.store.addUser(await person('vera', { passwordChangedAt: NOW + YEAR }));
    const before = await logIn(desk, 'vera', PASSWORD);
    await usersOf(desk).setPassword('vera', OTHER);
    assert.equal(await profileOf(desk, before), 401);
    assert.equal(await profileOf(desk, await logIn(desk, 'vera', OTHER)), 200);
  });

  it('a token of the NVR is refused until "users password" sets the time right', async (t) => {
    const desk = await startDesk(t);
    await desk.store.addUser(await person('vera', { passwordChangedAt: NOW + YEAR }));
    const payload = { sub: 'vera', role: 'viewer', iat: NOW + 1, exp: NOW + 100 };
    const cookie = `frigate_token=${handMadeToken({ payload })}`;
    assert.equal(await profileOf(desk, cookie), 401);
    await usersOf(desk).setPassword('vera', OTHER);
    assert.equal(await profileOf(desk, cookie), 200);
  });

  it('the reset of the admin password lets the admin in', async (t) => {
    const desk = await startDesk(t);
    const { store, clock } = desk;
    await store.addUser(
      await person('admin', { role: 'admin', passwordChangedAt: NOW + YEAR, createdAt: NOW + YEAR - 1 }),
    );
    const made = await ensureFirstAdmin({ store, clock, hasher: quickHasher(), reset: true });
    assert.equal(await profileOf(desk, await logIn(desk, 'admin', made?.password ?? '')), 200);
    assert.equal((await store.findUser('admin'))?.passwordChangedAt, NOW);
  });
});
