/** The ways into an account: nobody takes the last one from himself (SPEC 12, 16). */
import type { Transaction } from 'kysely';
import type { UserName } from '../../domain/names.ts';
import { hasRow } from '../engine/rows.ts';
import type { Tables } from '../engine/tables.ts';

/** Whether the user has a password, a passkey or a sign-in beside the one that is to go. */
export async function hasOtherWay(
  user: UserName,
  { provider = '', passkey = '' }: { readonly provider?: string; readonly passkey?: string },
  transaction: Transaction<Tables>,
): Promise<boolean> {
  return (
    (await hasRow(transaction, 'users', { name: user, has_password: 1 })) ||
    (await hasRow(transaction, 'passkeys', { user_name: user, id: { '!=': passkey } })) ||
    (await hasRow(transaction, 'sign_ins', { user_name: user, provider: { '!=': provider } }))
  );
}
