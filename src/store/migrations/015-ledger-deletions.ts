/** Migration 15: each chain of the ledger tells of its own last deletion, as newer versions have it: the table of closings proves nothing (SPEC 14). */
import { createHash } from 'node:crypto';
import type { Kysely, Transaction } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../engine/tables.ts';

export const ledgerDeletions: Migration = {
  async up(db: Kysely<never>) {
    const tables = db as unknown as Transaction<Tables>;
    const closings = await tables.selectFrom('ledger_closings').selectAll().orderBy('seq').execute();
    const newest = new Map(closings.map((closing) => [closing.chain, closing]));
    for (const closing of newest.values()) if (!(await isTold(closing, tables))) await tell(closing, tables);
  },
};

type Closing = Pick<Tables['ledger_closings'], 'chain' | 'seq' | 'hash' | 'day' | 'records'>;

/** The version before told of it in the chain of the process that deleted the records: mostly this one, and then nothing is missing. */
async function isTold({ chain, seq, hash }: Closing, tables: Transaction<Tables>): Promise<boolean> {
  const told = tables
    .selectFrom('ledger_records')
    .select('id')
    .where('id', '>', `${chain}-`)
    .where('id', '<', `${chain}.`)
    .where('kind', '=', 'change')
    .where('detail', 'like', `{"what":"ledger-forgotten","chain":"${chain}","seq":"${seq}","hash":"${hash}"%`);
  return (await told.limit(1).executeTakeFirst()) !== undefined;
}

async function tell({ chain, seq, hash, day, records }: Closing, tables: Transaction<Tables>): Promise<void> {
  const head = await tables.selectFrom('ledger_chains').selectAll().where('chain', '=', chain).executeTakeFirst();
  if (!head) return;
  const last = await tables
    .selectFrom('ledger_records')
    .select(['id', 'to_at'])
    .where('id', '>', `${chain}-`)
    .where('id', '<', `${chain}.`)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const idOf = (number: number): string => `${chain}-${String(number).padStart(12, '0')}`;
  // A chain that was changed by others stays as it is: "ledger verify" names what does not fit.
  if (last && last.id !== idOf(head.seq)) return;
  const at = last?.to_at ?? Date.parse(day) / 1000;
  const detail = JSON.stringify({
    what: 'ledger-forgotten',
    chain,
    seq: String(seq),
    hash,
    day,
    records: String(records),
  });
  const place = { chain, seq: head.seq + 1 };
  const row = {
    kind: 'change',
    user_name: null,
    credential: null,
    address: 'configuration',
    camera: null,
    from_at: at,
    to_at: at,
    watched_from: null,
    watched_to: null,
    detail,
  };
  const text = JSON.stringify([1, place.chain, place.seq, head.hash, ...Object.values(row)]);
  const hashed = createHash('sha256').update(text).digest('hex');
  await tables
    .insertInto('ledger_records')
    .values({ id: idOf(place.seq), chain, ...row, hash: hashed } as never)
    .execute();
  await tables
    .updateTable('ledger_chains')
    .set({ seq: place.seq, hash: hashed } as never)
    .where('chain', '=', chain)
    .execute();
}
