/** What a wrong password costs follows the store: a dear hash that is gone from it costs nobody anything (SPEC 4.1). */
import type { AccountStore } from '../../store/accounts/accounts.ts';
import type { PasswordHasher } from './password-hash.ts';

export interface HashCostDeps {
  readonly store: Pick<AccountStore, 'listUsers'>;
  /** Another text after each change of the store. */
  readonly version: () => string;
}

/** Reads the users again only when the store has changed. */
export function createHashCosts({ store, version }: HashCostDeps): (hasher: PasswordHasher) => Promise<void> {
  const read = new WeakMap<PasswordHasher, string>();
  return async (hasher) => {
    const now = version();
    if (read.get(hasher) === now) return;
    const users = await store.listUsers();
    hasher.follow(users.map(({ passwordHash }) => passwordHash));
    read.set(hasher, now);
  };
}
