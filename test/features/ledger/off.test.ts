/** A ledger that is off (`ledger.retention: 0`): what people were told of their accounts is kept for 90 days (SPEC 14). */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import pino from 'pino';
import type { Settings } from '../../../src/config/schema/schema.ts';
import { openUpkeep } from '../../../src/features/ledger/ledger.ts';
import type { LedgerEntry } from '../../../src/features/ledger/records.ts';
import { localClock } from '../../../src/features/ledger/writer.ts';
import { batchOf } from '../../support/own-entries.ts';
import { newDirectory } from '../../support/run-postern.ts';
import { openStore } from '../../support/whole-store.ts';

const DAY = 86_400;
const NOW = 1_800_000_000;
const nothing = { credential: null, address: null, camera: null, watchedFrom: null, watchedTo: null };
const toldAt = (at: number): LedgerEntry => ({
  ...nothing,
  kind: 'change',
  user: 'ann',
  from: at,
  to: at,
  detail: '{"what":"password-changed"}',
});

describe('A ledger that is off', () => {
  it('deletes what people were told after 90 days, and tells no head', async () => {
    const { ledger, close } = await openStore({ url: `sqlite:${newDirectory()}/postern.db` });
    after(close);
    await ledger.append(batchOf([toldAt(NOW - 92 * DAY), toldAt(NOW - 80 * DAY)]), NOW);
    const heads: string[] = [];
    const upkeep = openUpkeep({
      store: ledger,
      settings: () => ({ ledger: { retention: 0 } }) as unknown as Settings,
      clock: { now: () => NOW * 1000 },
      mayDelete: () => true,
      log: pino({ level: 'silent' }),
      localDay: localClock(() => 'UTC'),
      messages: { send: ({ detail }) => heads.push(detail ?? ''), onMessage: () => {} },
    });
    await upkeep.look();
    await upkeep.close();
    const kept = await ledger.find({ user: 'ann', sight: undefined }, 10);
    assert.deepEqual([kept.map(({ from }) => from - NOW), heads], [[-80 * DAY], []]);
  });
});
