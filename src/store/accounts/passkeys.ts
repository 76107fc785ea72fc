/** The table of passkeys: the same code for every engine (SPEC 12). */
import type { Kysely, Transaction } from 'kysely';
import type { PasskeyRecord, PasskeyStore, SpentChallenge } from '../../domain/accounts/second-factor.ts';
import { countRows, deleteRows, findRecord, hasRow, insertRecord, listRecords, updateRows } from '../engine/rows.ts';
import type { Serialized } from '../engine/serialized.ts';
import type { Tables } from '../engine/tables.ts';
import { hasOtherWay } from './accounts.ts';
import { afterGain, afterLoss, isAsKnown } from './factor-epoch.ts';

export function createPasskeyStore(db: Kysely<Tables>, serialized: Serialized): PasskeyStore {
  return {
    listPasskeys: (user) => listRecords(db, 'passkeys', { user_name: user }, ['created_at', 'id']),
    findPasskey: (id) => findRecord(db, 'passkeys', { id }),

    addPasskey: (passkey, { challenge, first, most }) =>
      serialized(async (transaction) => {
        const { user } = passkey;
        if (!(await hasRow(transaction, 'users', { name: user }))) return 'gone';
        if ((await countRows(transaction, 'passkeys', { user_name: user })) >= most) return 'full';
        if (await isTaken(passkey, transaction)) return 'taken';
        if (!(await isSpentNow(challenge, transaction))) return 'spent';
        if (!(await isAsKnown(user, first, transaction))) return 'gone';
        await insertPasskey(passkey, transaction);
        return afterGain(user, first, transaction);
      }),

    usePasskey: ({ id, user }, { challenge, counter, isBackedUp, at }) =>
      serialized(async (transaction) => {
        const known = await findRecord(transaction, 'passkeys', { id, user_name: user });
        if (!known) return 'gone';
        if (!(await isSpentNow(challenge, transaction))) return 'spent';
        // The challenge stays used up: a copy gets no second try with it.
        if (known.counter > 0 && counter <= known.counter) return 'cloned';
        const used = { counter, is_backed_up: Number(isBackedUp), last_used_at: at };
        await updateRows(transaction, 'passkeys', { id }, used);
        return 'used';
      }),

    renamePasskey: async (user, id, name) =>
      (await updateRows(db, 'passkeys', { user_name: user, id }, { name })) ? 'renamed' : 'absent',

    removePasskey: (user, id, { epoch, known }) =>
      serialized(async (transaction) => {
        if (!(await isAsKnown(user, { known }, transaction))) return 'gone';
        if (!(await hasRow(transaction, 'passkeys', { user_name: user, id }))) return 'absent';
        if (!(await hasOtherWay(user, { passkey: id }, transaction))) return 'last-way-in';
        await deleteRows(transaction, 'passkeys', { user_name: user, id });
        return afterLoss(user, epoch, transaction);
      }),
  };
}

export const isTaken = ({ id }: PasskeyRecord, transaction: Transaction<Tables>): Promise<boolean> =>
  hasRow(transaction, 'passkeys', { id });

export const insertPasskey = (passkey: PasskeyRecord, transaction: Transaction<Tables>): Promise<void> =>
  insertRecord(transaction, 'passkeys', passkey);

/** Kept beside ended sessions, whose ids look different, until the challenge is over: another replica sees it there. */
export async function isSpentNow(
  { id, expiresAt }: SpentChallenge,
  transaction: Transaction<Tables>,
): Promise<boolean> {
  const spent = transaction.insertInto('revoked_tokens').values({ token_id: id, expires_at: expiresAt });
  const once = spent.onConflict((conflict) => conflict.column('token_id').doNothing());
  return Boolean((await once.executeTakeFirst()).numInsertedOrUpdatedRows);
}
