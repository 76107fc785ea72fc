/** The ways into an account: nobody takes the last one from himself (SPEC 12, 16). */
import type { Transaction } from 'kysely';
import type { UserName } from '../../domain/names.ts';
import type { Tables } from '../engine/tables.ts';

/** Whether the user has a password, a passkey or a sign-in beside the one that is to go. */
export async function hasOtherWay(
  user: UserName,
  { provider = '', passkey = '' }: { readonly provider?: string; readonly passkey?: string },
  transaction: Transaction<Tables>,
): Promise<boolean> {
  const ways = [
    transaction.selectFrom('users').select('name').where('name', '=', user).where('has_password', '=', 1),
    transaction.selectFrom('passkeys').select('id').where('user_name', '=', user).where('id', '!=', passkey),
    transaction.selectFrom('sign_ins').select('id').where('user_name', '=', user).where('provider', '!=', provider),
  ];
  for (const way of ways) if (await way.executeTakeFirst()) return true;
  return false;
}
