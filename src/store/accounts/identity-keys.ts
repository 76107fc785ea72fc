/** The table of the keys that sign identities: the same code for every engine (SPEC 17). */
import type { Kysely } from 'kysely';
import type { IdentityKeyStore, SealedIdentityKey } from '../../domain/identity/identity-key.ts';
import type { Serialized } from '../engine/serialized.ts';
import type { Tables } from '../engine/tables.ts';

export function createIdentityKeyStore(db: Kysely<Tables>, serialized: Serialized): IdentityKeyStore {
  return {
    listIdentityKeys: () => listIn(db),

    changeIdentityKeys: (plan) =>
      serialized(async (transaction) => {
        const { added, forgotten } = plan(await listIn(transaction));
        if (added) {
          const { id, sealed, createdAt } = added;
          await transaction.insertInto('identity_keys').values({ id, sealed, created_at: createdAt }).execute();
        }
        if (forgotten.length > 0) await transaction.deleteFrom('identity_keys').where('id', 'in', forgotten).execute();
        return listIn(transaction);
      }),
  };
}

async function listIn(db: Kysely<Tables>): Promise<readonly SealedIdentityKey[]> {
  const rows = await db.selectFrom('identity_keys').selectAll().orderBy('created_at').orderBy('id').execute();
  return rows.map(({ id, sealed, created_at }) => ({ id, sealed, createdAt: created_at }));
}
