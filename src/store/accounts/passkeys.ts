/** The table of passkeys: the same code for every engine (SPEC 12). */
import { type Kysely, sql, type Transaction } from 'kysely';
import type { PasskeyRecord, PasskeyStore, SpentChallenge } from '../../domain/accounts/second-factor.ts';
import type { UserName } from '../../domain/names.ts';
import type { Serialized } from '../engine/serialized.ts';
import { recordOf, rowOf, type Tables } from '../engine/tables.ts';
import { afterGain, afterLoss, isAsKnown } from './factor-epoch.ts';
import { hasOtherWay } from './ways-in.ts';

export function createPasskeyStore(db: Kysely<Tables>, serialized: Serialized): PasskeyStore {
  return {
    async listPasskeys(user) {
      const all = db.selectFrom('passkeys').selectAll().where('user_name', '=', user);
      return (await all.orderBy('created_at').orderBy('id').execute()).map(asPasskey);
    },

    async findPasskey(id) {
      const row = await db.selectFrom('passkeys').selectAll().where('id', '=', id).executeTakeFirst();
      return row && asPasskey(row);
    },

    addPasskey: (passkey, { challenge, first, most }) =>
      serialized(async (transaction) => {
        const { user } = passkey;
        const owner = transaction.selectFrom('users').select('name').where('name', '=', user);
        if (!(await owner.executeTakeFirst())) return 'gone';
        if ((await countOf(user, transaction)) >= most) return 'full';
        if (await isTaken(passkey, transaction)) return 'taken';
        if (!(await isSpentNow(challenge, transaction))) return 'spent';
        if (!(await isAsKnown(user, first, transaction))) return 'gone';
        await insertPasskey(passkey, transaction);
        return afterGain(user, first, transaction);
      }),

    usePasskey: ({ id, user }, { challenge, counter, isBackedUp, at }) =>
      serialized(async (transaction) => {
        const own = transaction.selectFrom('passkeys').select('counter').where('id', '=', id);
        const row = await own.where('user_name', '=', user).executeTakeFirst();
        if (!row) return 'gone';
        if (!(await isSpentNow(challenge, transaction))) return 'spent';
        // The challenge stays used up: a copy gets no second try with it.
        if (row.counter > 0 && counter <= row.counter) return 'cloned';
        const used = { counter, is_backed_up: Number(isBackedUp), last_used_at: at };
        await transaction.updateTable('passkeys').set(used).where('id', '=', id).execute();
        return 'used';
      }),

    async renamePasskey(user, id, name) {
      const renaming = db.updateTable('passkeys').set({ name }).where('user_name', '=', user).where('id', '=', id);
      return (await renaming.executeTakeFirst()).numUpdatedRows ? 'renamed' : 'absent';
    },

    removePasskey: (user, id, { epoch, known }) =>
      serialized(async (transaction) => {
        if (!(await isAsKnown(user, { known }, transaction))) return 'gone';
        const own = transaction.selectFrom('passkeys').select('id').where('user_name', '=', user);
        if (!(await own.where('id', '=', id).executeTakeFirst())) return 'absent';
        if (!(await hasOtherWay(user, { passkey: id }, transaction))) return 'last-way-in';
        await transaction.deleteFrom('passkeys').where('user_name', '=', user).where('id', '=', id).execute();
        return afterLoss(user, epoch, transaction);
      }),
  };
}

export async function isTaken({ id }: PasskeyRecord, transaction: Transaction<Tables>): Promise<boolean> {
  const same = transaction.selectFrom('passkeys').select('id').where('id', '=', id);
  return (await same.executeTakeFirst()) !== undefined;
}

export async function insertPasskey(passkey: PasskeyRecord, transaction: Transaction<Tables>): Promise<void> {
  await transaction.insertInto('passkeys').values(asRow(passkey)).execute();
}

async function countOf(user: UserName, transaction: Transaction<Tables>): Promise<number> {
  const count = sql<number>`count(*)`.as('passkeys');
  const rows = transaction.selectFrom('passkeys').select(count).where('user_name', '=', user);
  return Number((await rows.executeTakeFirstOrThrow()).passkeys);
}

/** Kept beside ended sessions, whose ids look different, until the challenge is over: another replica sees it there. */
export async function isSpentNow(
  { id, expiresAt }: SpentChallenge,
  transaction: Transaction<Tables>,
): Promise<boolean> {
  const spent = transaction.insertInto('revoked_tokens').values({ token_id: id, expires_at: expiresAt });
  const once = spent.onConflict((conflict) => conflict.column('token_id').doNothing());
  return Boolean((await once.executeTakeFirst()).numInsertedOrUpdatedRows);
}

const asRow = (passkey: PasskeyRecord) => rowOf('passkeys', passkey);

const asPasskey = (row: object): PasskeyRecord => recordOf('passkeys', row) as PasskeyRecord;
