/** The store's file: private, kept after a hard death, and said so when it cannot be opened (SPEC 1). */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { User } from '../../src/domain/accounts/account.ts';
import { ADMIN, type UserName } from '../../src/domain/names.ts';
import { openStore } from '../../src/store/open-store.ts';
import { makeScratch } from './support/scratch-store.ts';

const scratch = makeScratch();
after(scratch.remove);

const urlOf = (name: string): string => `sqlite:${join(scratch.directory, name)}`;
const ANNA: User = {
  name: 'anna' as UserName,
  role: ADMIN,
  passwordHash: 'hash',
  passwordChangedAt: null,
  createdAt: 1,
};

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe('The SQLite store', () => {
  it('is readable by its owner alone, with the files beside it', async () => {
    const store = await openStore({ url: urlOf('private.db') });
    await store.accounts.addUser(ANNA);
    for (const suffix of ['', '-wal', '-shm']) {
      assert.equal(modeOf(join(scratch.directory, `private.db${suffix}`)), '600', suffix);
    }
    await store.close();
  });

  it('takes away what others could read of a file that was there', async () => {
    const path = join(scratch.directory, 'wide.db');
    writeFileSync(path, '');
    chmodSync(path, 0o644);
    await (await openStore({ url: `sqlite:${path}` })).close();
    assert.equal(modeOf(path), '600');
  });

  it('is made ready once by two who open it at the same time', async () => {
    const url = urlOf('both.db');
    const [one, two] = await Promise.all([openStore({ url }), openStore({ url })]);
    assert.equal(await one.accounts.addUser(ANNA), 'added');
    assert.deepEqual(await two.accounts.listUsers(), [ANNA]);
    await Promise.all([one.close(), two.close()]);
  });

  it('can be read beside its writer, and not written by a reader', async () => {
    const url = urlOf('beside.db');
    const writer = await openStore({ url });
    const reader = await openStore({ url, readOnly: true });
    await writer.accounts.addUser(ANNA);
    assert.deepEqual(await reader.accounts.listUsers(), [ANNA]);
    await assert.rejects(reader.accounts.setPassword(ANNA.name, 'other', 2), /readonly/);
    await Promise.all([writer.close(), reader.close()]);
  });

  it('holds what was acknowledged when the process is killed', async () => {
    const url = urlOf('killed.db');
    const script = `
      import { openStore } from './src/store/open-store.ts';
      const { accounts } = await openStore({ url: ${JSON.stringify(url)} });
      for (let n = 0; ; n++) {
        await accounts.revokeToken('token-' + n, 1);
        console.log(n);
        await new Promise((resolve) => setImmediate(resolve));
      }`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    for await (const chunk of child.stdout) {
      said += chunk;
      if (said.split('\n').length > 50 && !child.killed) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    const acknowledged = said.split('\n').slice(0, -1);
    assert.ok(acknowledged.length >= 50);
    const store = await openStore({ url });
    for (const n of acknowledged)
      assert.equal(await store.accounts.isRevoked(`token-${n}`), true, `token-${n} is lost`);
    await store.close();
  });

  const refusals: [sentence: string, url: string, readOnly: boolean, message: RegExp][] = [
    [
      'says which file it cannot make',
      urlOf('absent/postern.db'),
      false,
      /cannot open the store at .*absent\/postern\.db/,
    ],
    ['says which file a reader does not find', urlOf('absent.db'), true, /cannot open the store at .*absent\.db/],
    ['says what it understands', 'mysql://db', false, /store\.url: only "sqlite:<path>" is understood/],
  ];
  for (const [sentence, url, readOnly, message] of refusals) {
    it(sentence, () => assert.rejects(openStore({ url, readOnly }), { message }));
  }

  it('does not take a file of another kind for a store', async () => {
    const path = join(scratch.directory, 'picture.db');
    writeFileSync(path, 'GIF89a'.repeat(1000));
    await assert.rejects(openStore({ url: `sqlite:${path}` }), { message: /cannot open the store at .*picture\.db/ });
  });
});
