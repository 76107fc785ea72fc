/** What an admin does about sign-ins of others: who has which, whose roles the provider gives, and the removal of one (SPEC 16). */

import type { UserName } from '../../domain/names.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { SignInStore } from '../../store/accounts/sign-ins.ts';
import type { UserOutcome, UserRefusal } from './users.ts';

export type SignInAdmin = ReturnType<typeof createSignInAdmin>;

export function createSignInAdmin(store: SignInStore) {
  return {
    /** The names of the providers of each user who has a sign-in. */
    async byUser(): Promise<ReadonlyMap<UserName, readonly string[]>> {
      const byUser = new Map<UserName, string[]>();
      for (const { user, provider } of await store.listSignIns())
        byUser.set(user, [...(byUser.get(user) ?? []), provider]);
      return byUser;
    },
    /** The role is that of the provider of the first sign-in, from its next login on. Gives the provider. */
    async giveBackRole(name: string): Promise<Result<string, UserRefusal>> {
      const user = name as UserName; // an invalid name matches no user
      const [first] = (await store.listSignIns(user)).toSorted((one, other) => one.connectedAt - other.connectedAt);
      if (!first) return ABSENT;
      const outcome = await store.setRoleSource(user, first.provider);
      if (outcome === 'last-admin') return LAST_ADMIN;
      return outcome === 'absent' ? ABSENT : ok(first.provider);
    },
    /** Sessions go on; a role that the provider gave becomes Postern's own. */
    async remove(name: string, provider: string): Promise<UserOutcome> {
      const user = name as UserName;
      const outcome = await store.disconnect(user, provider, 'admin');
      if (outcome === 'last-way-in') return LAST_WAY_IN;
      return outcome === 'disconnected' ? ok(user) : ABSENT;
    },
    /** Guests whose accounts are gone. */
    closed: store.listClosed,
    /** A closed guest may sign in again, without an invitation. */
    forget: async (provider: string, subject: string): Promise<Result<undefined, UserRefusal>> =>
      (await store.forgetClosed(provider, subject)) === 'absent' ? NO_CLOSED : ok(undefined),
  };
}

const refused = (reason: UserRefusal['reason'], message: string) => err({ reason, message });

const ABSENT = refused('sign-in-absent', 'The user has no such sign-in: GET /api/users shows those that exist');
const NO_CLOSED = refused(
  'sign-in-absent',
  'There is no such closed guest: postern users list shows each with its provider and subject',
);
const LAST_ADMIN = refused(
  'last-admin',
  'Cannot give the role of the last admin to a provider, which may take it away',
);
const LAST_WAY_IN = refused(
  'last-way-in',
  'This is the only way in of the account: it has no password and no passkey. Make a link for a new password first, or delete the user',
);
