/** The tables of the ledger: the same code for every engine (SPEC 14). */
import { setImmediate } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { ChainClosing, LedgerStore, OpenSpan } from '../../domain/ledger.ts';
import { chainAt, commandChainAt, isCommandChain, siteOfChain } from '../../domain/ledger.ts';
import type { Tables } from '../engine/tables.ts';
import { appendBatch } from './append-batch.ts';
import { findDays, findRecords } from './find-records.ts';
import { forgetSome } from './forget-records.ts';
import { asOpenSpan, asStored } from './ledger-rows.ts';
import { lastHead, mendChain } from './mend-chain.ts';

/** The chain of a store that is a file: one service writes it. */
const ONLY_CHAIN = 'main';
/** A process that has not written for so long is gone, or cut off. */
const ABANDONED_SECONDS = 90;

export interface LedgerPlace {
  /** The store is a file of this machine, and one service of each site uses it. */
  readonly isFile: boolean;
  /** Empty: one service uses the file. */
  readonly site: string;
}

export function createLedgerStore(db: Kysely<Tables>, { isFile, site }: LedgerPlace): LedgerStore {
  const leftIn = async (chain: string): Promise<readonly OpenSpan[]> =>
    (await db.selectFrom('ledger_open').selectAll().where('chain', '=', chain).execute()).map(asOpenSpan);
  /** Undefined when another process was faster. */
  const take = async (chain: string, seenAt: number, holder: string, now: number): Promise<string | undefined> => {
    const taking = db.updateTable('ledger_chains').set({ holder, seen_at: now });
    const taken = await taking.where('chain', '=', chain).where('seen_at', '=', seenAt).executeTakeFirst();
    return taken.numUpdatedRows > 0n ? chain : undefined;
  };
  const make = async (holder: string, now: number): Promise<string> => {
    const chain = chainAt(site, isFile ? ONLY_CHAIN : `replica-${holder.slice(0, 8)}`);
    const head = await lastHead(chain, db);
    await db
      .insertInto('ledger_chains')
      .values({ ...head, holder, seen_at: now })
      .execute();
    return chain;
  };
  /** The chains whose process is silent. A command has ended when its records are written, and leaves nothing open. */
  const silentChains = async (silentSince: number) => {
    const all = db.selectFrom('ledger_chains').select(['chain', 'seen_at']).where('seen_at', '<', silentSince);
    return (await all.orderBy('chain').execute()).filter(({ chain }) => !isCommandChain(chain));
  };
  const isOwn = ({ chain }: { readonly chain: string }): boolean => (siteOfChain(chain) ?? '') === site;
  /** No other process of this site writes a file: the one before has ended, whatever it said last. */
  const freeChains = async (now: number) =>
    (await silentChains(isFile ? Number.MAX_SAFE_INTEGER : now - ABANDONED_SECONDS)).filter(isOwn);
  return {
    async claimChain(holder, now) {
      for (const { chain, seen_at } of await freeChains(now)) {
        const taken = await take(chain, seen_at, holder, now);
        if (taken !== undefined) return { chain: taken, left: await leftIn(taken) };
      }
      return { chain: await make(holder, now), left: [] };
    },

    async commandChain(now) {
      const head = await lastHead(commandChainAt(site), db);
      const making = db.insertInto('ledger_chains').values({ ...head, holder: '', seen_at: now });
      await making.onConflict((conflict) => conflict.column('chain').doNothing()).execute();
      return head.chain;
    },

    append: (chain, batch, days, now, link) =>
      db.transaction().execute((transaction) => appendBatch({ chain, batch, days, now, link }, transaction)),

    async abandoned(now) {
      if (isFile && site === '') return [];
      const found: { chain: string; left: readonly OpenSpan[] }[] = [];
      for (const { chain, seen_at } of await silentChains(now - ABANDONED_SECONDS)) {
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

    async rows(behind, limit) {
      const rows = db.selectFrom('ledger_records').selectAll().where('id', '>', behind).orderBy('id').limit(limit);
      return (await rows.execute()).map(asStored);
    },

    async openSpans() {
      const all = db.selectFrom('ledger_open').select(['chain', (count) => count.fn.countAll().as('spans')]);
      return (await all.groupBy('chain').orderBy('chain').execute()).map(({ chain, spans }) => ({
        chain,
        spans: Number(spans),
      }));
    },

    async forgetBefore(forgetting) {
      let closing: ChainClosing | undefined;
      for (;;) {
        const more = await db.transaction().execute((transaction) => forgetSome(forgetting, transaction));
        if (!more) return closing;
        closing = { ...more, records: (closing?.records ?? 0) + more.records };
        await setImmediate(); // whoever waits comes first
      }
    },

    mend: (chain, now) => db.transaction().execute((transaction) => mendChain(chain, now, transaction)),

    find: (question, limit, cursor) => findRecords(db, question, limit, cursor),
    days: (question, firstDay, lastDay) => findDays(db, question, firstDay, lastDay),

    async forgetDaysBefore(day) {
      await db.deleteFrom('ledger_days').where('day', '<', day).execute();
    },
  };
}
