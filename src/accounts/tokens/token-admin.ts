/** API tokens for the command line: of any user, with the rules of the API (SPEC 1, 4.4). */
import type { AccountStore } from '../../domain/accounts/account.ts';
import type { ApiToken, ApiTokenStore } from '../../domain/accounts/api-token.ts';
import { ADMIN, type UserName } from '../../domain/names.ts';
import { err, type Result } from '../../domain/result.ts';
import {
  type MadeToken,
  type MakeTokenDeps,
  makeToken,
  type TokenOwner,
  type TokenRefusal,
  type WantedToken,
} from './make-token.ts';

export interface TokenAdminDeps extends MakeTokenDeps {
  readonly tokenStore: ApiTokenStore;
  readonly store: Pick<AccountStore, 'findUser'>;
  /** False: users are known to a proxy alone, and a token's user is a name and nothing more. */
  readonly authEnabled: boolean;
}

export interface TokenAdminRefusal {
  readonly reason: TokenRefusal['reason'] | 'user-absent';
  readonly message: string;
}

export interface TokenAdmin {
  list(): Promise<readonly ApiToken[]>;
  create(wanted: WantedToken & { readonly user: string }): Promise<Result<MadeToken, TokenAdminRefusal>>;
  revoke(id: string): Promise<'deleted' | 'absent'>;
}

export function createTokenAdmin(deps: TokenAdminDeps): TokenAdmin {
  const { tokenStore, store, authEnabled } = deps;
  const ownerNamed = async (name: string): Promise<TokenOwner | undefined> => {
    if (!authEnabled) return { name: name as UserName, role: ADMIN, createdAt: null };
    return store.findUser(name);
  };
  return {
    list: () => tokenStore.listTokens(),
    revoke: tokenStore.deleteToken,
    async create({ user, ...wanted }) {
      const owner = await ownerNamed(user);
      const message = `There is no user ${user}: "postern users list" shows all`;
      return owner ? makeToken(wanted, owner, deps) : err({ reason: 'user-absent', message });
    },
  };
}
