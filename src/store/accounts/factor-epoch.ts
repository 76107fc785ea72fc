/** What changes with the first factor of a user and with the last one: the flag, the epoch, the recovery codes, the sessions (SPEC 12). */
import type { Transaction } from 'kysely';
import type { FirstFactor } from '../../domain/accounts/second-factor.ts';
import type { UserName } from '../../domain/names.ts';
import type { Tables } from '../engine/tables.ts';

/**
 * Whether the factors are as known, within the transaction that adds one: of two sessions that add the first one, one is over
 * by then.
 */
export async function isAsKnown(
  user: UserName,
  { known }: Pick<FirstFactor, 'known'>,
  transaction: Transaction<Tables>,
): Promise<boolean> {
  const owner = transaction.selectFrom('users').select(['factor_epoch', 'password_changed_at']);
  const row = await owner.where('name', '=', user).executeTakeFirst();
  if (!row || row.password_changed_at !== known.passwordChangedAt) return false;
  return row.factor_epoch === (known.factorEpoch ?? null);
}

/** Notes that a factor was written. The sessions of before end by the epoch, so they leave the list. */
export async function afterGain(
  user: UserName,
  { epoch, recoveryCodes }: Omit<FirstFactor, 'known'>,
  transaction: Transaction<Tables>,
): Promise<'first' | 'more' | 'gone'> {
  const row = await transaction.selectFrom('users').select('has_factor').where('name', '=', user).executeTakeFirst();
  if (!row) return 'gone';
  if (row.has_factor === 1) return 'more';
  await setFactor(user, { has_factor: 1, factor_epoch: epoch }, transaction);
  await writeRecoveryCodes(user, recoveryCodes, transaction);
  return 'first';
}

/** Notes that a factor was deleted. Nothing changes while the user has another one. */
export async function afterLoss(
  user: UserName,
  epoch: string,
  transaction: Transaction<Tables>,
): Promise<'last' | 'more'> {
  const totp = transaction.selectFrom('totp_secrets').select('user_name').where('secret', 'is not', null);
  const passkey = transaction.selectFrom('passkeys').select('id').where('user_name', '=', user);
  if (await totp.where('user_name', '=', user).executeTakeFirst()) return 'more';
  if (await passkey.executeTakeFirst()) return 'more';
  await setFactor(user, { has_factor: 0, factor_epoch: epoch }, transaction);
  await writeRecoveryCodes(user, [], transaction);
  return 'last';
}

/** Replaces the earlier ones. */
export async function writeRecoveryCodes(
  user: UserName,
  hashes: readonly string[],
  transaction: Transaction<Tables>,
): Promise<void> {
  await transaction.deleteFrom('recovery_codes').where('user_name', '=', user).execute();
  if (hashes.length === 0) return;
  const rows = hashes.map((code_hash) => ({ code_hash, user_name: user }));
  await transaction.insertInto('recovery_codes').values(rows).execute();
}

async function setFactor(
  user: UserName,
  row: { readonly has_factor: 0 | 1; readonly factor_epoch: string },
  transaction: Transaction<Tables>,
): Promise<void> {
  await transaction.updateTable('users').set(row).where('name', '=', user).execute();
  await transaction.deleteFrom('seen_sessions').where('user_name', '=', user).execute();
}
