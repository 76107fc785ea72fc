/** What changes with the first factor of a user and with the last one: the flag, the epoch, the recovery codes, the sessions (SPEC 12). */
import type { Transaction } from 'kysely';
import type { FirstFactor } from '../../domain/accounts/second-factor.ts';
import type { UserName } from '../../domain/names.ts';
import { deleteRows, findRecord, hasRow, insertRecord, updateRows } from '../engine/rows.ts';
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
  const owner = await findRecord(transaction, 'users', { name: user });
  return owner?.passwordChangedAt === known.passwordChangedAt && owner.factorEpoch === known.factorEpoch;
}

/** Notes that a factor was written. The sessions of before end by the epoch, so they leave the list. */
export async function afterGain(
  user: UserName,
  { epoch, recoveryCodes }: Omit<FirstFactor, 'known'>,
  transaction: Transaction<Tables>,
): Promise<'first' | 'more' | 'gone'> {
  const owner = await findRecord(transaction, 'users', { name: user });
  if (!owner) return 'gone';
  if (owner.hasFactor) return 'more';
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
  if (await hasRow(transaction, 'totp_secrets', { user_name: user, secret: { '!=': null } })) return 'more';
  if (await hasRow(transaction, 'passkeys', { user_name: user })) return 'more';
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
  await deleteRows(transaction, 'recovery_codes', { user_name: user });
  for (const codeHash of hashes) await insertRecord(transaction, 'recovery_codes', { codeHash, user });
}

async function setFactor(
  user: UserName,
  row: { readonly has_factor: 0 | 1; readonly factor_epoch: string },
  transaction: Transaction<Tables>,
): Promise<void> {
  await updateRows(transaction, 'users', { name: user }, row);
  await deleteRows(transaction, 'seen_sessions', { user_name: user });
}
