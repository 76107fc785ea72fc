/** The tables of the ledger: the same code for every engine (SPEC 14). */
import type { Kysely, Transaction } from 'kysely';
import type { ChainClosing, LedgerStore, OpenSpan } from '../../domain/ledger.ts';
import { COMMAND_CHAIN, recordIdOf, VIEWING_KINDS } from '../../domain/ledger.ts';
import type { Tables } from '../engine/tables.ts';
import { appendBatch } from './append-batch.ts';
import { findDays, findRecords } from './find-records.ts';
import { asOpenSpan, asRecord } from './ledger-rows.ts';

/** Of a store that is a file: one service writes it. */
const ONLY_CHAIN = 'main';
/** A process that has not written for so long is gone, or cut off. */
const ABANDONED_SECONDS = 90;
const FORGOTTEN_AT_ONCE = 500;
const NO_HASH = '0'.repeat(64);

/** `isFile`: the store is a file of this machine, and one service uses it. */
export function createLedgerStore(db: Kysely<Tables>, isFile: boolean): LedgerStore {
  const leftIn = async (chain: string): Promise<readonly OpenSpan[]> =>
    (await db.selectFrom('ledger_open').selectAll().where('chain', '=', chain).execute()).map(asOpenSpan);
  /** Undefined when another process was faster. */
  const take = async (chain: string, seenAt: number, holder: string, now: number): Promise<string | undefined> => {
    const taking = db.updateTable('ledger_chains').set({ holder, seen_at: now });
    const taken = await taking.where('chain', '=', chain).where('seen_at', '=', seenAt).executeTakeFirst();
    return taken.numUpdatedRows > 0n ? chain : undefined;
  };
  const make = async (holder: string, now: number): Promise<string> => {
    const chain = isFile ? ONLY_CHAIN : `replica-${holder.slice(0, 8)}`;
    await db
      .insertInto('ledger_chains')
      .values(emptyChain(chain, holder, now))
      .execute();
    return chain;
  };
  const staleAt = (now: number): number => (isFile ? Number.MAX_SAFE_INTEGER : now - ABANDONED_SECONDS);
  /** Of processes that run on: a command has ended when its records are written, and leaves nothing open. */
  const staleChains = (now: number) =>
    db
      .selectFrom('ledger_chains')
      .select(['chain', 'seen_at'])
      .where('seen_at', '<', staleAt(now))
      .where('chain', '<>', COMMAND_CHAIN)
      .orderBy('chain');
  return {
    async claimChain(holder, now) {
      for (const { chain, seen_at } of await staleChains(now).execute()) {
        const taken = await take(chain, seen_at, holder, now);
        if (taken !== undefined) return { chain: taken, left: await leftIn(taken) };
      }
      return { chain: await make(holder, now), left: [] };
    },

    async commandChain(now) {
      const row = emptyChain(COMMAND_CHAIN, '', now);
      const making = db.insertInto('ledger_chains').values(row);
      await making.onConflict((conflict) => conflict.column('chain').doNothing()).execute();
      return COMMAND_CHAIN;
    },

    append: (chain, batch, days, now, link) =>
      db.transaction().execute((transaction) => appendBatch({ chain, batch, days, now, link }, transaction)),

    async abandoned(now) {
      if (isFile) return [];
      const found: { chain: string; left: readonly OpenSpan[] }[] = [];
      for (const { chain, seen_at } of await staleChains(now).execute()) {
        const left = await leftIn(chain);
        if (left.length > 0 && (await take(chain, seen_at, '', now)) !== undefined) found.push({ chain, left });
      }
      return found;
    },

    async release(chain) {
      await db.updateTable('ledger_chains').set({ seen_at: 0 }).where('chain', '=', chain).execute();
    },

    async heads() {
      return db.selectFrom('ledger_chains').select(['chain', 'seq', 'hash']).orderBy('chain').execute();
    },

    async closings() {
      return db
        .selectFrom('ledger_closings')
        .select(['chain', 'seq', 'hash', 'day', 'records'])
        .orderBy('id')
        .execute();
    },

    async records(chain, seq, limit) {
      return (await inChain(chain, seq, db).limit(limit).execute()).map(asRecord);
    },

    async forgetBefore(chain, at, day) {
      let closing: ChainClosing | undefined;
      for (;;) {
        const [last] = await db
          .selectFrom('ledger_closings')
          .select('seq')
          .where('chain', '=', chain)
          .orderBy('seq', 'desc')
          .limit(1)
          .execute();
        const next = (
          await inChain(chain, last?.seq ?? 0, db)
            .limit(FORGOTTEN_AT_ONCE)
            .execute()
        ).map(asRecord);
        const kept = next.findIndex(({ to }) => to >= at);
        const over = kept < 0 ? next : next.slice(0, kept);
        const end = over.at(-1);
        if (!end) return closing;
        const { seq, hash } = end;
        closing = { chain, day, seq, hash, records: (closing?.records ?? 0) + over.length };
        await db.transaction().execute((transaction) => forget(closing as ChainClosing, transaction));
      }
    },

    find: (question, limit, cursor) => findRecords(db, question, limit, cursor),
    days: (question, firstDay, lastDay) => findDays(db, question, firstDay, lastDay),

    async openViewings(user) {
      const open = db.selectFrom('ledger_open').selectAll().where('user_name', '=', user);
      return (await open.where('kind', 'in', [...VIEWING_KINDS]).execute()).map(asOpenSpan);
    },

    async forgetDaysBefore(day) {
      await db.deleteFrom('ledger_days').where('day', '<', day).execute();
      await db.deleteFrom('ledger_told').where('day', '<', day).execute();
    },
  };
}

const emptyChain = (chain: string, holder: string, now: number) => ({
  chain,
  seq: 0,
  hash: NO_HASH,
  holder,
  seen_at: now,
});

/** Ids of one chain lie between its name with a hyphen and its name with the character behind it. */
const inChain = (chain: string, seq: number, db: Kysely<Tables>) =>
  db
    .selectFrom('ledger_records')
    .selectAll()
    .where('id', '>', recordIdOf({ chain, seq }))
    .where('id', '<', `${chain}.`)
    .orderBy('id');

/** The closing hash and the deletion hold together or not at all. */
async function forget(closing: ChainClosing, transaction: Transaction<Tables>): Promise<void> {
  const { chain, day, seq, hash, records } = closing;
  await transaction
    .insertInto('ledger_closings')
    .values({ id: `${chain}-${day}`, ...closing })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seq, hash, records }))
    .execute();
  await transaction
    .deleteFrom('ledger_records')
    .where('id', '<=', recordIdOf({ chain, seq }))
    .where('id', '>', `${chain}-`)
    .execute();
}
