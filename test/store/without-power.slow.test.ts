/** A machine that loses its power under the service: what was acknowledged is found again, whatever else reached the disk (SPEC 10). */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { createRandom } from '../../bench/random.ts';
import { findFault } from '../../src/features/backup/store-file.ts';
import { openStore } from '../../src/store/open-store.ts';
import { testDisk, withoutSlowDisk } from '../support/servers/slow-disk.ts';
import { makeScratch } from './support/scratch-store.ts';

const scratch = makeScratch();
after(scratch.remove);

/** So long that the log is moved into the file every hundred changes. */
const nameOf = (count: number): string => `${count}-${'x'.repeat(20_000)}`;
const FOUND_TIMES = 4;

type TestDisk = ReturnType<typeof testDisk>;

const opening = (url: string): string => `
  import { existsSync, rmSync, writeFileSync } from 'node:fs';
  import { setImmediate as turn } from 'node:timers/promises';
  import { openStore } from './src/store/open-store.ts';
  const { accounts, db, close } = await openStore({ url: ${JSON.stringify(url)} });
  const insert = (transaction, token_id) => transaction.insertInto('revoked_tokens').values({ token_id, expires_at: 1 }).execute();
  const both = (name, between = turn()) => db.transaction().execute(async (transaction) => {
    await insert(transaction, name);
    await between;
    await insert(transaction, name + '-too');
  });`;

/** Several changes at a time, each of which is said when it is acknowledged. Half of them are transactions of two rows. */
const changing = (url: string): string => `${opening(url)}
  const nameOf = ${nameOf};
  let next = 0;
  const change = async () => {
    for (;;) {
      const count = next++;
      const act = count % 2 === 0 ? both(nameOf(count)) : accounts.revokeToken(nameOf(count), 1);
      const outcome = await act.then(() => 'done', (fault) => fault.message);
      console.log(count + ' ' + outcome); 
    }
  };
  await Promise.all([change(), change(), change()]);`;

/** A transaction that is open while the disk fails for another one. */
const openMeanwhile = (url: string): string => `${opening(url)}
  const { DISK_WAITS: gate, DISK_FAILS: failing } = process.env;
  writeFileSync(gate, '');
  const ahead = both('ahead');
  while (!existsSync(gate + '.reached')) await turn();
  const isOver = Promise.withResolvers();
  const behind = both('behind', isOver.promise);
  writeFileSync(failing, '');
  rmSync(gate);
  const told = [await ahead.catch((fault) => fault.storeFault)];
  isOver.resolve();
  told.push(await behind.catch((fault) => fault.storeFault));
  rmSync(failing);
  told.push(await both('last'));
  await close();
  console.log(JSON.stringify(told));`;

const run = (script: string, { env }: TestDisk) =>
  spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });

/** Gives the numbers of the changes that were acknowledged until the power went. */
async function untilWithoutPower(
  url: string,
  disk: TestDisk,
  heard: (outcomes: readonly string[]) => boolean,
): Promise<readonly string[]> {
  const child = run(changing(url), disk);
  let said = '';
  for await (const chunk of child.stdout) {
    said += chunk;
    if (!child.killed && heard(said.split('\n').slice(0, -1))) child.kill('SIGKILL');
  }
  return said
    .split('\n')
    .filter(isDone)
    .map((line) => line.split(' ', 1)[0] ?? '');
}

const isDone = (line: string): boolean => line.endsWith(' done');

async function assertFound(acknowledged: readonly string[], disk: TestDisk, path: string): Promise<void> {
  const random = createRandom(1);
  for (let times = 0; times < FOUND_TIMES; times += 1) {
    const part = times / (FOUND_TIMES - 1);
    const found = disk.foundOf(path, () => random.chance(part));
    const store = await openStore({ url: `sqlite:${found}` });
    const rows = await store.db.selectFrom('revoked_tokens').select('token_id').execute();
    await store.close();
    const names = new Set(rows.map(({ token_id: name }) => name));
    const there = new Set([...names].map((name) => name.split('-', 1)[0]));
    for (const count of there) {
      const [one, other] = [nameOf(Number(count)), `${nameOf(Number(count))}-too`];
      assert.equal(names.has(other), Number(count) % 2 === 0 && names.has(one), `half of ${count}`);
    }
    assert.deepEqual(
      acknowledged.filter((count) => !there.has(count)),
      [],
      'acknowledged, and lost',
    );
    assert.equal(findFault(found), undefined);
  }
}

async function newStore(name: string) {
  const path = `${scratch.path}-${name}`;
  const url = `sqlite:${path}`;
  await (await openStore({ url })).close();
  const disk = testDisk(name);
  disk.keep(path);
  return { path, url, disk };
}

describe('A machine that loses its power', { skip: withoutSlowDisk }, () => {
  for (const changes of [3, 190, 431])
    it(`after ${changes} changes has each that was acknowledged`, async () => {
      const { path, url, disk } = await newStore(`after-${changes}`);
      const acknowledged = await untilWithoutPower(url, disk, (outcomes) => outcomes.length >= changes);
      assert.ok(acknowledged.length >= changes);
      await assertFound(acknowledged, disk, path);
    });

  it('has them also where the disk had failed, and took changes again', async () => {
    const { path, url, disk } = await newStore('failing');
    let state: 'well' | 'fails' | 'again' = 'well';
    let failed = 0;
    const acknowledged = await untilWithoutPower(url, disk, (outcomes) => {
      const faults = outcomes.filter((line) => !isDone(line));
      if (state === 'well' && outcomes.length > 10) {
        disk.fail(true);
        state = 'fails';
      } else if (state === 'fails' && faults.length > 6) {
        disk.fail(false);
        state = 'again';
        failed = outcomes.length;
      }
      return state === 'again' && outcomes.slice(failed).filter(isDone).length > 10;
    });
    assert.ok(acknowledged.length > 20);
    await assertFound(acknowledged, disk, path);
  });

  it('rolls no other transaction back where the disk failed behind a commit', async () => {
    const { url, disk } = await newStore('meanwhile');
    const said = await text(run(openMeanwhile(url), disk).stdout);
    assert.deepEqual(JSON.parse(said), ['unreachable', 'unreachable', null]);
    const store = await openStore({ url });
    const rows = await store.db.selectFrom('revoked_tokens').select('token_id').orderBy('token_id').execute();
    await store.close();
    const names = ['ahead', 'ahead-too', 'behind', 'behind-too', 'last', 'last-too'];
    assert.deepEqual(
      rows.map(({ token_id: name }) => name),
      names,
    );
  });
});
