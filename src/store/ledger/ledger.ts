/** The tables of the ledger: the same code for every engine (SPEC 14). */
import { type Kysely, sql, type Transaction } from 'kysely';
import type { ChainClosing, ChainHead, LedgerDay, LedgerStore, OpenSpan } from '../../domain/ledger.ts';
import { recordIdOf } from '../../domain/ledger.ts';
import type { Tables } from '../engine/tables.ts';
import { findDays, findRecords } from './find-records.ts';
import { asOpenSpan, asRecord, dayRow, openRow, recordRow } from './ledger-rows.ts';

/** Of a store that is a file: one service writes it. */
const ONLY_CHAIN = 'main';
/** A process that has not written for so long is gone, or cut off. */
const ABANDONED_SECONDS = 90;
/** SQLite takes 32,766 values in a statement. */
const ROWS_AT_ONCE = 200;
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
    await db.insertInto('ledger_chains').values({ chain, seq: 0, hash: NO_HASH, holder, seen_at: now }).execute();
    return chain;
  };
  const staleAt = (now: number): number => (isFile ? Number.MAX_SAFE_INTEGER : now - ABANDONED_SECONDS);
  return {
    async claimChain(holder, now) {
      const stale = db.selectFrom('ledger_chains').select(['chain', 'seen_at']).where('seen_at', '<', staleAt(now));
      for (const { chain, seen_at } of await stale.orderBy('chain').execute()) {
        const taken = await take(chain, seen_at, holder, now);
        if (taken !== undefined) return { chain: taken, left: await leftIn(taken) };
      }
      return { chain: await make(holder, now), left: [] };
    },

    append: (chain, { ended, open }, days, now, link) =>
      db.transaction().execute(async (transaction) => {
        const head = await lockedHead(chain, now, transaction);
        const records = link(
          head,
          ended.map(({ entry }) => entry),
        );
        for (const rows of chunks(records.map(recordRow), ROWS_AT_ONCE))
          await transaction.insertInto('ledger_records').values(rows).execute();
        const over = ended.flatMap(({ span }) => (span === undefined ? [] : [span]));
        for (const ids of chunks(over, ROWS_AT_ONCE))
          await transaction.deleteFrom('ledger_open').where('id', 'in', ids).execute();
        for (const spans of chunks(open, ROWS_AT_ONCE)) await putOpen(chain, spans, transaction);
        await addDays(days, transaction);
        const last = records.at(-1);
        if (!last) return;
        const { seq, hash } = last;
        await transaction.updateTable('ledger_chains').set({ seq, hash }).where('chain', '=', chain).execute();
      }),

    async abandoned(now) {
      if (isFile) return [];
      const chains = db.selectFrom('ledger_chains').select(['chain', 'seen_at']).where('seen_at', '<', staleAt(now));
      const found: { chain: string; left: readonly OpenSpan[] }[] = [];
      for (const { chain, seen_at } of await chains.execute()) {
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

    async forgetDaysBefore(day) {
      await db.deleteFrom('ledger_days').where('day', '<', day).execute();
    },
  };
}

/** Ids of one chain lie between its name with a hyphen and its name with the character behind it. */
const inChain = (chain: string, seq: number, db: Kysely<Tables>) =>
  db
    .selectFrom('ledger_records')
    .selectAll()
    .where('id', '>', recordIdOf({ chain, seq }))
    .where('id', '<', `${chain}.`)
    .orderBy('id');

/** The row is locked until the transaction ends: two processes that write one chain take turns, and it stays whole. */
async function lockedHead(chain: string, now: number, transaction: Transaction<Tables>): Promise<ChainHead> {
  const update = transaction.updateTable('ledger_chains').set({ seen_at: now }).where('chain', '=', chain);
  return update.returning(['chain', 'seq', 'hash']).executeTakeFirstOrThrow();
}

async function putOpen(chain: string, spans: readonly OpenSpan[], transaction: Transaction<Tables>): Promise<void> {
  await transaction
    .insertInto('ledger_open')
    .values(spans.map((span) => openRow(span, span.id, chain)))
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(({ ref }) => ({
        from_at: ref('excluded.from_at'),
        to_at: ref('excluded.to_at'),
        watched_from: ref('excluded.watched_from'),
        watched_to: ref('excluded.watched_to'),
        detail: ref('excluded.detail'),
      })),
    )
    .execute();
}

/** In the order of their ids, so that two replicas that add to the same days do not wait for each other in a circle. */
async function addDays(days: readonly LedgerDay[], transaction: Transaction<Tables>): Promise<void> {
  const rows = days.map(dayRow).sort((one, other) => (one.id < other.id ? -1 : 1));
  for (const some of chunks(rows, ROWS_AT_ONCE)) {
    await transaction
      .insertInto('ledger_days')
      .values(some)
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet(({ ref }) => ({
          seconds: sql<number>`${ref('ledger_days.seconds')} + ${ref('excluded.seconds')}`,
          records: sql<number>`${ref('ledger_days.records')} + ${ref('excluded.records')}`,
          hours: sql<number>`${ref('ledger_days.hours')} | ${ref('excluded.hours')}`,
        })),
      )
      .execute();
  }
}

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

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  const parts: Item[][] = [];
  for (let at = 0; at < items.length; at += size) parts.push(items.slice(at, at + size));
  return parts;
}
