/** Puts right what was changed in the store and stops the writing of a chain: rows in the way, and a head that is gone (SPEC 14). */
import { randomUUID } from 'node:crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import { type ChainHead, type Mended, recordIdOf } from '../../domain/ledger.ts';
import type { Tables } from '../engine/tables.ts';
import { asStored } from './ledger-rows.ts';

export const NO_HASH = '0'.repeat(64);

/** The column is an integer of 32 bits: a forged number must not be one that nothing can follow. */
const LARGEST_NUMBER = 2_000_000_000;
const AT_ONCE = 1000;

export async function mendChain(chain: string, now: number, transaction: Transaction<Tables>): Promise<Mended> {
  const known = await transaction
    .selectFrom('ledger_chains')
    .select(['chain', 'seq', 'hash'])
    .where('chain', '=', chain)
    .executeTakeFirst();
  const head = known ?? (await lastHead(chain, transaction));
  if (!known)
    await transaction
      .insertInto('ledger_chains')
      .values({ ...head, holder: '', seen_at: now })
      .execute();
  const first = await behind(head, transaction).select('id').orderBy('id').limit(1).executeTakeFirst();
  if (!first) return { rows: 0, first: undefined, isHeadRestored: !known };
  const mark = `foreign-${randomUUID().slice(0, 8)}-`;
  const moved = await transaction
    .updateTable('ledger_records')
    .set({ id: sql<string>`${mark} || id` })
    .where('id', '>', recordIdOf(head))
    .where('id', '<', `${chain}.`)
    .executeTakeFirst();
  return { rows: Number(moved.numUpdatedRows), first: first.id, isHeadRestored: !known };
}

/** The last record of a chain whose head is gone; a chain without records ends where its records were deleted. */
export async function lastHead(chain: string, db: Kysely<Tables>): Promise<ChainHead> {
  const rows = await behind({ chain, seq: 0, hash: NO_HASH }, db)
    .selectAll()
    .where('id', '<=', recordIdOf({ chain, seq: LARGEST_NUMBER }))
    .orderBy('id', 'desc')
    .limit(AT_ONCE)
    .execute();
  const last = rows.map(asStored).find((one) => one.id === recordIdOf(one));
  if (last) return { chain, seq: last.seq, hash: last.hash };
  const closing = db.selectFrom('ledger_closings').select(['seq', 'hash']).where('chain', '=', chain);
  return { chain, seq: 0, hash: NO_HASH, ...(await closing.orderBy('seq', 'desc').limit(1).executeTakeFirst()) };
}

/** Ids of one chain lie between its name with a hyphen and its name with the character behind it. */
const behind = ({ chain, seq }: ChainHead, db: Kysely<Tables>) =>
  db.selectFrom('ledger_records').where('id', '>', recordIdOf({ chain, seq })).where('id', '<', `${chain}.`);
