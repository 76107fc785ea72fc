/** The tables of second factors: the same code for every engine (SPEC 12). */
import { type Kysely, sql } from 'kysely';
import type { SecondFactorStore, UserFactors } from '../../domain/accounts/second-factor.ts';
import type { UserName } from '../../domain/names.ts';
import { countRows, deleteRows, findRecord, hasRow, insertRecord, updateRows } from '../engine/rows.ts';
import type { Serialized } from '../engine/serialized.ts';
import type { Tables } from '../engine/tables.ts';
import { afterGain, afterLoss, isAsKnown, writeRecoveryCodes } from './factor-epoch.ts';
import { createPasskeyStore } from './passkeys.ts';

export function createSecondFactorStore(db: Kysely<Tables>, serialized: Serialized): SecondFactorStore {
  return {
    ...createPasskeyStore(db, serialized),

    findTotp: (user) => findRecord(db, 'totp_secrets', { user_name: user }),

    startTotp: (user, sealed, until) =>
      serialized(async (transaction) => {
        if (!(await hasRow(transaction, 'users', { name: user }))) return 'absent';
        const waiting = { pending: sealed, pending_until: until };
        if (!(await updateRows(transaction, 'totp_secrets', { user_name: user }, waiting)))
          await insertRecord(transaction, 'totp_secrets', {}, { user_name: user, ...waiting });
        return 'started';
      }),

    confirmTotp: (user, { sealed, step, first }) =>
      serialized(async (transaction) => {
        if (!(await isAsKnown(user, first, transaction))) return 'gone';
        const confirmed = { secret: sealed, last_step: step, pending: null, pending_until: null };
        const changed = await updateRows(transaction, 'totp_secrets', { user_name: user, pending: sealed }, confirmed);
        return changed ? afterGain(user, first, transaction) : 'gone';
      }),

    async useTotpStep(user, sealed, step) {
      const unspent = { user_name: user, secret: sealed, last_step: { '<': step } };
      return (await updateRows(db, 'totp_secrets', unspent, { last_step: step })) ? 'used' : 'spent';
    },

    removeTotp: (user, epoch) =>
      serialized(async (transaction) => {
        const removed = await deleteRows(transaction, 'totp_secrets', { user_name: user, secret: { '!=': null } });
        return removed ? afterLoss(user, epoch, transaction) : 'absent';
      }),

    removeFactors: (user, epoch) =>
      serialized(async (transaction) => {
        await deleteRows(transaction, 'totp_secrets', { user_name: user });
        await deleteRows(transaction, 'passkeys', { user_name: user });
        if (!(await hasRow(transaction, 'users', { name: user, has_factor: 1 }))) return 'absent';
        await afterLoss(user, epoch, transaction);
        return 'last';
      }),

    replaceRecoveryCodes: (user, hashes, known) =>
      serialized(async (transaction) => {
        if (!(await hasRow(transaction, 'users', { name: user, has_factor: 1 }))) return 'gone';
        if (!(await isAsKnown(user, { known }, transaction))) return 'gone';
        await writeRecoveryCodes(user, hashes, transaction);
        return 'replaced';
      }),

    useRecoveryCode: async (user, hash) =>
      (await deleteRows(db, 'recovery_codes', { code_hash: hash, user_name: user })) ? 'used' : 'absent',

    countRecoveryCodes: (user) => countRows(db, 'recovery_codes', { user_name: user }),

    async listFactors() {
      const totp = await db.selectFrom('totp_secrets').select('user_name').where('secret', 'is not', null).execute();
      const passkeys = await db.selectFrom('passkeys').select('user_name').distinct().execute();
      return factorsByUser(
        totp.map((row) => row.user_name),
        passkeys.map((row) => row.user_name),
      );
    },

    async countTotpNotSealedWith(keyId) {
      const count = sql<number>`count(*)`.as('secrets');
      const rows = db.selectFrom('totp_secrets').select(count).where('secret', 'not like', `${keyId}.%`);
      return Number((await rows.executeTakeFirstOrThrow()).secrets);
    },
  };
}

const factorsByUser = (totp: readonly string[], passkeys: readonly string[]): readonly UserFactors[] =>
  [...new Set([...totp, ...passkeys])].sort().map((user) => ({
    user: user as UserName,
    kinds: [
      ...(totp.includes(user) ? (['totp'] as const) : []),
      ...(passkeys.includes(user) ? (['passkey'] as const) : []),
    ],
  }));
