/** `postern … | head`: a command whose reader leaves does its work and ends without a stack (SPEC 1). */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { before, describe, it } from 'node:test';
import type { LedgerEntry } from '../../src/features/ledger/records.ts';
import { batchOf } from '../support/own-entries.ts';
import { EVERYBODY, moveIn } from '../support/people.ts';
import { MAIN, newDirectory } from '../support/run-postern.ts';
import { openStore } from '../support/whole-store.ts';

const RECORDS = 5000;

const directory = newDirectory();
before(async () => {
  const store = await openStore({ url: `sqlite:${directory}/postern.db` });
  await moveIn(EVERYBODY, store.accounts, 1);
  const nothing = { user: null, credential: null, address: null, camera: null, watchedFrom: null, watchedTo: null };
  const entry: LedgerEntry = { ...nothing, kind: 'login', from: 1, to: 1, detail: null };
  for (let at = 0; at < RECORDS; at += 1000)
    await store.ledger.append(batchOf(Array.from({ length: 1000 }, () => entry)), 1);
  await store.close();
});

/** With an output that nobody reads: its pipe is closed before the command writes. */
async function runUnread(args: readonly string[], both: boolean): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, [MAIN, '--config-dir', directory, ...args]);
  child.stdin.end();
  child.stdout.destroy();
  let stderr = '';
  if (both) child.stderr.destroy();
  else
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr };
}

describe('A command whose reader has left', () => {
  const rows: readonly (readonly string[])[] = [
    ['ledger', 'verify'],
    ['ledger', 'export'],
    ['users', 'list'],
    ['check'],
    ['policy', 'show'],
    ['--help'],
    ['ledger', 'verify', '--head', `main:7:${'0'.repeat(64)}`],
  ];
  for (const args of rows)
    it(`ends quietly: ${args.slice(0, 3).join(' ')}`, async () => {
      const { code, stderr } = await runUnread(args, false);
      assert.doesNotMatch(stderr, /EPIPE|^\s+at |node:/m);
      assert.notEqual(code, null);
      if (args[1] !== 'show') assert.equal(code, args.includes('--head') ? 1 : 0, stderr);
      assert.equal((await runUnread(args, true)).code, code, 'the same without a reader of its errors');
    });
});
