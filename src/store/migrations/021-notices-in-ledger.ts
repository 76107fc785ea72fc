/** Migration 21: what people were told of their accounts is read from the ledger; what it does not have yet goes there (SPEC 12). */
import { createHash } from 'node:crypto';
import type { Kysely, Transaction } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../engine/tables.ts';

interface Former {
  readonly account_notices: {
    readonly user_name: string;
    readonly kind: string;
    readonly at: number;
    readonly done_by: string | null;
    readonly address: string;
    readonly agent: string | null;
    readonly detail: string | null;
  };
}

const CHAIN = 'notices';

export const noticesInLedger: Migration = {
  async up(db: Kysely<never>) {
    const tables = db as unknown as Transaction<Tables & Former>;
    if (!(await db.introspection.getTables()).some(({ name }) => name === 'account_notices')) return;
    let [seq, hash] = [0, '0'.repeat(64)];
    for (const notice of await tables.selectFrom('account_notices').selectAll().orderBy('at').execute()) {
      if (await isRecorded(notice, tables)) continue;
      seq += 1;
      const id = `${CHAIN}-${String(seq).padStart(12, '0')}`;
      const row = rowOf(notice);
      const text = JSON.stringify([1, CHAIN, seq, hash, ...Object.values(row)]);
      hash = createHash('sha256').update(text).digest('hex');
      await tables
        .insertInto('ledger_records')
        .values({ id, chain: CHAIN, ...row, hash } as never)
        .execute();
    }
    if (seq > 0) {
      const head = { chain: CHAIN, seq, hash, holder: '', seen_at: 0 } as never;
      await tables.insertInto('ledger_chains').values(head).execute();
    }
    await tables.schema.dropTable('account_notices').execute();
  },
};

/** Where the ledger was on it has all but the logins from new places, at the same second. */
async function isRecorded({ kind, at }: Former['account_notices'], tables: Transaction<Tables>): Promise<boolean> {
  const record = tables
    .selectFrom('ledger_records')
    .select('id')
    .where('kind', 'in', ['change', 'link'])
    .where('from_at', '>=', at)
    .where('from_at', '<', at + 1)
    .where('detail', 'like', `%"what":"${kind}"%`);
  return (await record.limit(1).executeTakeFirst()) !== undefined;
}

/** The order of the members is that of the hashed text. */
function rowOf({ user_name, kind, at, done_by, address, agent, detail }: Former['account_notices']) {
  const object = kind === 'token-created' ? 'tokenId' : kind === 'link-first-opened' ? 'linkId' : 'factor';
  const about = {
    what: kind,
    user: user_name,
    ...(agent !== null && { agent }),
    ...(detail !== null && { [object]: detail }),
  };
  return {
    kind: 'notice',
    user_name: done_by,
    credential: null,
    address,
    camera: null,
    from_at: at,
    to_at: at,
    watched_from: null,
    watched_to: null,
    detail: JSON.stringify(about),
  };
}
