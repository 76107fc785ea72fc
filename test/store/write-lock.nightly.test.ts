/** While another process holds SQLite's write lock, requests go on, and what cannot be written is said so (SPEC 4.2, 10). */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { findStoreFault } from '../../src/domain/store/store-fault.ts';
import { openStore } from '../../src/store/open-store.ts';
import { CARL, VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { makeScratch } from './support/scratch-store.ts';

/** Another process's import or backup. */
function holdLock(path: string): { release(): void } {
  const other = new DatabaseSync(path);
  other.exec('begin immediate');
  return {
    release() {
      other.exec('rollback');
      other.close();
    },
  };
}

describe('A store whose write lock another process holds', () => {
  const scratch = makeScratch();
  after(scratch.remove);

  it('is read while a write waits, and tells after 5 s that it is locked', async () => {
    const store = await openStore({ url: scratch.url });
    const lock = holdLock(scratch.path);
    let isSettled = false;
    const writing = store.accounts.revokeToken('one', 9e9).finally(() => {
      isSettled = true;
    });
    writing.catch(() => {});
    const version = store.version();
    for (let reads = 0; reads < 20; reads++) assert.deepEqual(await store.accounts.listUsers(), []);
    assert.equal(isSettled, false);
    assert.equal(store.version(), version, 'nothing has changed yet');
    await assert.rejects(writing, (fault: Error) => {
      assert.equal(findStoreFault(fault), 'locked');
      assert.match(fault.message, /the store at .*postern\.db is locked by another process/);
      return true;
    });
    assert.equal(store.version(), version, 'nothing was written');
    lock.release();
    await store.accounts.revokeToken('one', 9e9);
    assert.notEqual(store.version(), version);
    assert.equal(await store.accounts.isRevoked('one'), true);
    await store.close();
  });

  it('takes a write that waited, once the lock is free', async () => {
    const store = await openStore({ url: scratch.url });
    const lock = holdLock(scratch.path);
    const writes = Promise.all([store.accounts.revokeToken('two', 9e9), store.accounts.revokeToken('three', 9e9)]);
    assert.equal(await store.accounts.isRevoked('two'), false);
    lock.release();
    await writes;
    assert.deepEqual([await store.accounts.isRevoked('two'), await store.accounts.isRevoked('three')], [true, true]);
    await store.close();
  });
});

describe('An instance whose store is locked by another process', () => {
  let instance: Runtime;
  before(async () => {
    instance = await startInstance({ config: { nvr: { cameras: ['cam1'] } } });
  });
  after(() => instance.close());

  it('goes on with requests, ends the session at once and tells that the end is not stored', async () => {
    const [vera, carl] = [await instance.logIn(VERA), await instance.logIn(CARL)];
    const lock = holdLock(join(instance.directory, 'postern.db'));
    let isAnswered = false;
    const logout = instance.ask('/logout', { method: 'POST', token: vera }).finally(() => {
      isAnswered = true;
    });
    await until(
      'the session is over',
      async () => (await instance.ask('/api/profile', { token: vera })).status === 401,
    );
    for (let asked = 0; asked < 20; asked++)
      assert.equal((await instance.ask('/api/profile', { token: carl })).status, 200);
    assert.equal(isAnswered, false, 'the logout still waits for the lock');
    const answer = await logout;
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '5']);
    assert.match(answer.headers.getSetCookie()[0] ?? '', /^frigate_token=; .*Max-Age=0/i);
    assert.equal((await instance.ask('/api/profile', { token: vera })).status, 401);

    const change = await instance.ask('/api/users/carl/password', {
      method: 'PUT',
      token: carl,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ old_password: CARL.password, password: 'another long password' }),
    });
    assert.deepEqual([change.status, change.headers.get('retry-after')], [503, '5']);
    const ready = await fetch(`${instance.telemetryUrl}/readyz`);
    const { store } = (await ready.json()) as { store: { kind: string; reason: string } };
    assert.deepEqual([ready.status, store.kind], [503, 'failed']);
    assert.match(store.reason, /is locked by another process/);

    lock.release();
    const stored = new DatabaseSync(join(instance.directory, 'postern.db'), { readOnly: true });
    await until(
      'the revocation is stored',
      () => stored.prepare('select count(*) as n from revoked_tokens').get()?.['n'] === 1,
    );
    stored.close();
    assert.equal((await instance.ask('/api/profile', { token: vera })).status, 401);
    await until('it is ready', async () => (await fetch(`${instance.telemetryUrl}/readyz`)).status === 200);
    const metrics = await (await fetch(`${instance.telemetryUrl}/metrics`)).text();
    assert.match(metrics, /^postern_store_faults_total\{kind="locked"\} [1-9]/m);
    assert.match(metrics, /^postern_own_errors_total\{reason="store"\} 2$/m);
    assert.match(metrics, /^postern_revocations_waiting 0$/m);
    assert.match(metrics, /^postern_store_up 1$/m);
  });
});
