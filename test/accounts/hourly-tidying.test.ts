/** What is over is forgotten: at the start, and from then on every hour (SPEC 4.2). */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { pino } from 'pino';
import type { AuditEntry } from '../../src/accounts/audit.ts';
import { openCredentials } from '../../src/app/accounts.ts';
import type { Settings } from '../../src/config/schema/schema.ts';
import type { UserName } from '../../src/domain/names.ts';
import type { Store } from '../support/whole-store.ts';
import { handClock, IN_FORCE, NOW, openInstanceStore, person } from './support/people.ts';

const HOUR = 3600;

/** What is called every hour, until it is cleared; the test calls it, and waits until it is done. */
function choresOfAnHour(t: TestContext) {
  const chores = new Map<unknown, () => unknown>();
  const { setInterval, clearInterval } = globalThis;
  t.mock.method(globalThis, 'setInterval', (chore: () => unknown, milliseconds: number) => {
    const timer = setInterval(() => {}, milliseconds);
    if (milliseconds === HOUR * 1000) chores.set(timer, chore);
    return timer;
  });
  t.mock.method(globalThis, 'clearInterval', (timer: NodeJS.Timeout) => {
    chores.delete(timer);
    clearInterval(timer);
  });
  return chores;
}

/** Credentials over a store with vera in it, and hours that pass when the test says so. */
async function instance(t: TestContext, change: (store: Store) => Store = (store) => store) {
  let mayDelete = true;
  const store = await openInstanceStore(t);
  await store.accounts.addUser(await person('vera'));
  const clock = handClock();
  const warnings: string[] = [];
  const audited: AuditEntry[] = [];
  const log = pino({ base: null }, { write: (line) => void warnings.push(String(JSON.parse(line).msg)) });
  const chores = choresOfAnHour(t);
  const start = async () => {
    const { cameras: roles, limits, zone: timezone } = IN_FORCE;
    const parts = {
      settings: {
        auth: { enabled: true, roles, limits, timezone },
        store: { url: { engine: 'sqlite' } },
        server: {},
      } as unknown as Settings,
      clock,
      steadyClock: clock,
      audit: (entry: AuditEntry) => void audited.push(entry),
      log,
      mayDelete: () => mayDelete,
      keyId: 'k1',
    };
    const credentials = await openCredentials({ store: change(store), ...parts });
    t.after(credentials.close);
    return credentials;
  };
  const hourPasses = async (): Promise<void> => {
    clock.advance(HOUR);
    for (const chore of [...chores.values()]) await chore();
  };
  const distrustClock = (): void => {
    mayDelete = false;
  };
  return { store, clock, warnings, audited, start, hourPasses, distrustClock };
}

const seen = (id: string, expiresAt: number) => ({
  ...{ id, user: 'vera' as UserName, address: '192.0.2.1', agent: '', keyId: 'k1' },
  ...{ since: NOW, lastSeen: NOW, expiresAt },
});

/** The revocations and sessions that are kept. */
async function kept({ db }: Store): Promise<string[]> {
  const revoked = await db.selectFrom('revoked_tokens').select('token_id').orderBy('token_id').execute();
  const sessions = await db.selectFrom('seen_sessions').select('id').orderBy('id').execute();
  return [...revoked.map(({ token_id }) => token_id), ...sessions.map(({ id }) => id)];
}

describe('Revocations and sessions', () => {
  it('are forgotten after they are over and not before, revocations an hour later still', async (t) => {
    const { store, start, hourPasses } = await instance(t);
    await start();
    await store.accounts.revokeToken('ended-1', NOW - 1);
    await store.accounts.revokeToken('ended-2', NOW);
    await store.sessions.noteSessions([seen('seen-1', NOW + HOUR - 1), seen('seen-2', NOW + 2 * HOUR - 1)]);
    assert.deepEqual(await kept(store), ['ended-1', 'ended-2', 'seen-1', 'seen-2']);
    await hourPasses();
    assert.deepEqual(await kept(store), ['ended-2', 'seen-2']);
    await hourPasses();
    assert.deepEqual(await kept(store), []);
  });

  it('and what the curtain was drawn in front of, an hour after it opened', async (t) => {
    const { store, start, hourPasses } = await instance(t);
    await start();
    const entry = (camera: string, until?: number) => ({ camera, by: 'paul', drawnAt: NOW, ...(until && { until }) });
    await store.curtain.changeCurtain({
      drawn: [entry('hall'), entry('kitchen', NOW), entry('yard', NOW - 1)],
      opened: [],
    });
    const cameras = async () => (await store.curtain.listDrawn()).map(({ camera }) => camera);
    await hourPasses();
    assert.deepEqual(await cameras(), ['hall', 'kitchen']);
    await hourPasses();
    assert.deepEqual(await cameras(), ['hall']);
  });

  it('and guests, so long after their end; those who were extended stay', async (t) => {
    const { store, start, hourPasses, audited } = await instance(t);
    await start();
    const keep = 30 * 86_400;
    const guest = async (name: string, validUntil: number) =>
      store.accounts.addUser({ ...(await person(name)), validUntil });
    await guest('greta', NOW - keep + HOUR - 1);
    await guest('gustav', NOW - keep + HOUR);
    const id = { provider: 'home', issuer: 'https://id.example.com', subject: 'g' };
    const signIn = { ...id, user: 'greta' as UserName, connectedAt: NOW, lastUsedAt: NOW };
    const { createdAt } = (await store.accounts.findUser('greta')) ?? assert.fail();
    await store.signIns.connect(signIn, createdAt);
    await hourPasses();
    const knownUntil = NOW + HOUR + 400 * 86_400;
    assert.deepEqual(await store.signIns.listClosed(), [{ provider: 'home', subject: 'g', knownUntil }]);
    assert.deepEqual(
      (await store.accounts.listUsers()).map(({ name }) => name),
      ['gustav', 'vera'],
    );
    const [line] = audited.filter(({ what }) => what === 'user-deleted');
    assert.deepEqual([line?.user, line?.reason, line?.from], ['greta', 'guest-over', 'configuration']);
    await hourPasses();
    assert.deepEqual(
      (await store.accounts.listUsers()).map(({ name }) => name),
      ['vera'],
    );
  });

  it('that were over before the start are forgotten in its first hour', async (t) => {
    const { store, start, hourPasses } = await instance(t);
    await store.accounts.revokeToken('ended', NOW - HOUR - 1);
    await store.sessions.noteSessions([seen('seen', NOW - 1)]);
    await start();
    assert.deepEqual(await kept(store), ['ended', 'seen']);
    await hourPasses();
    assert.deepEqual(await kept(store), []);
  });

  it('stay, and guests too, while the clock may be wrong', async (t) => {
    const { store, start, hourPasses, distrustClock } = await instance(t);
    await start();
    await store.accounts.revokeToken('ended', NOW - 2 * HOUR);
    await store.sessions.noteSessions([seen('seen', NOW - 1)]);
    await store.accounts.addUser({ ...(await person('greta')), validUntil: NOW - 40 * 86_400 });
    distrustClock();
    await hourPasses();
    assert.deepEqual(await kept(store), ['ended', 'seen']);
    assert.notEqual(await store.accounts.findUser('greta' as UserName), undefined);
  });

  it('stay when the store fails, which is said, and are forgotten in the next hour', async (t) => {
    let isBroken = false;
    const { store, start, hourPasses, warnings } = await instance(t, (whole) => ({
      ...whole,
      accounts: {
        ...whole.accounts,
        forgetEnded: async (time: number) => {
          if (isBroken) throw new Error('disk');
          await whole.accounts.forgetEnded(time);
        },
      },
    }));
    await start();
    await store.accounts.revokeToken('ended', NOW - HOUR);
    isBroken = true;
    await hourPasses();
    assert.deepEqual(
      [await kept(store), warnings],
      [['ended'], ['expired sessions and revocations could not be deleted from the store: retrying in 1 h']],
    );
    isBroken = false;
    await hourPasses();
    assert.deepEqual(await kept(store), []);
  });

  it('are left alone once everything is closed', async (t) => {
    const { store, start, hourPasses } = await instance(t);
    const credentials = await start();
    await store.accounts.revokeToken('ended', NOW);
    await credentials.close();
    await hourPasses();
    assert.deepEqual(await kept(store), ['ended']);
  });
});
