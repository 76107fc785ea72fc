/** The tables of second factors: the same code for every engine (SPEC 12). */
import { type Kysely, sql } from 'kysely';
import type { SecondFactorStore, TotpRecord, UserFactors } from '../../domain/accounts/second-factor.ts';
import type { UserName } from '../../domain/names.ts';
import type { Serialized } from '../engine/serialized.ts';
import type { Tables } from '../engine/tables.ts';
import { afterGain, afterLoss, isAsKnown, writeRecoveryCodes } from './factor-epoch.ts';
import { createPasskeyStore } from './passkeys.ts';

export function createSecondFactorStore(db: Kysely<Tables>, serialized: Serialized): SecondFactorStore {
  return {
    ...createPasskeyStore(db, serialized),

    async findTotp(user) {
      const row = await db.selectFrom('totp_secrets').selectAll().where('user_name', '=', user).executeTakeFirst();
      return row && asTotp(row);
    },

    startTotp: (user, sealed, until) =>
      serialized(async (transaction) => {
        const owner = transaction.selectFrom('users').select('name').where('name', '=', user);
        if (!(await owner.executeTakeFirst())) return 'absent';
        const waiting = { pending: sealed, pending_until: until };
        await transaction
          .insertInto('totp_secrets')
          .values({ user_name: user, secret: null, last_step: null, ...waiting })
          .onConflict((conflict) => conflict.column('user_name').doUpdateSet(waiting))
          .execute();
        return 'started';
      }),

    confirmTotp: (user, { sealed, step, first }) =>
      serialized(async (transaction) => {
        if (!(await isAsKnown(user, first, transaction))) return 'gone';
        const { numUpdatedRows } = await transaction
          .updateTable('totp_secrets')
          .set({ secret: sealed, last_step: step, pending: null, pending_until: null })
          .where('user_name', '=', user)
          .where('pending', '=', sealed)
          .executeTakeFirst();
        return numUpdatedRows ? afterGain(user, first, transaction) : 'gone';
      }),

    async useTotpStep(user, sealed, step) {
      const { numUpdatedRows } = await db
        .updateTable('totp_secrets')
        .set({ last_step: step })
        .where('user_name', '=', user)
        .where('secret', '=', sealed)
        .where('last_step', '<', step)
        .executeTakeFirst();
      return numUpdatedRows ? 'used' : 'spent';
    },

    removeTotp: (user, epoch) =>
      serialized(async (transaction) => {
        const removal = transaction.deleteFrom('totp_secrets').where('user_name', '=', user);
        const { numDeletedRows } = await removal.where('secret', 'is not', null).executeTakeFirst();
        if (!numDeletedRows) return 'absent';
        return afterLoss(user, epoch, transaction);
      }),

    removeFactors: (user, epoch) =>
      serialized(async (transaction) => {
        const owner = transaction.selectFrom('users').select('has_factor').where('name', '=', user);
        await transaction.deleteFrom('totp_secrets').where('user_name', '=', user).execute();
        await transaction.deleteFrom('passkeys').where('user_name', '=', user).execute();
        if ((await owner.executeTakeFirst())?.has_factor !== 1) return 'absent';
        await afterLoss(user, epoch, transaction);
        return 'last';
      }),

    replaceRecoveryCodes: (user, hashes, known) =>
      serialized(async (transaction) => {
        const owner = transaction.selectFrom('users').select('name').where('name', '=', user);
        if (!(await owner.where('has_factor', '=', 1).executeTakeFirst())) return 'gone';
        if (!(await isAsKnown(user, { known }, transaction))) return 'gone';
        await writeRecoveryCodes(user, hashes, transaction);
        return 'replaced';
      }),

    async useRecoveryCode(user, hash) {
      const use = db.deleteFrom('recovery_codes').where('code_hash', '=', hash).where('user_name', '=', user);
      return (await use.executeTakeFirst()).numDeletedRows ? 'used' : 'absent';
    },

    async countRecoveryCodes(user) {
      const count = sql<number>`count(*)`.as('codes');
      const rows = db.selectFrom('recovery_codes').select(count).where('user_name', '=', user);
      return Number((await rows.executeTakeFirstOrThrow()).codes);
    },

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

const asTotp = (row: Tables['totp_secrets']): TotpRecord => ({
  secret: row.secret ?? undefined,
  lastStep: row.last_step ?? undefined,
  pending: row.pending ?? undefined,
  pendingUntil: row.pending_until ?? undefined,
});
