/** API tokens as they are kept, and the interface of their store (SPEC 4.4). Times are Unix seconds. */
import type { Role, UserName } from '../names.ts';

export interface ApiToken {
  readonly id: string;
  /** SHA-256 of the secret, in hex; the secret itself is kept nowhere. */
  readonly secretHash: string;
  readonly name: string;
  readonly user: UserName;
  /** When the owner's account was made: the token dies with it. Null: the owner has no account here, as in proxy mode. */
  readonly userCreatedAt: number | null;
  readonly role: Role;
  /** A narrowing of the role's cameras; null: none. */
  readonly cameras: readonly string[] | null;
  /** Whether it opens the routes for users, roles, tokens and sessions, which otherwise need a person. */
  readonly managesAccounts: boolean;
  /** `POST /api/login` takes it in the place of the password. */
  readonly logsIn?: true;
  /** It draws and opens the curtain, and does nothing else. */
  readonly isForCurtain?: true;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  readonly lastUsedFrom: string | null;
}

export interface TokenUse {
  readonly id: string;
  readonly at: number;
  readonly from: string;
}

export interface ApiTokenStore {
  addToken(token: ApiToken): Promise<void>;
  findToken(id: string): Promise<ApiToken | undefined>;
  /** The tokens of a user, or of all without `user`, in order of creation. */
  listTokens(user?: UserName): Promise<readonly ApiToken[]>;
  deleteToken(id: string): Promise<'deleted' | 'absent'>;
  noteTokenUses(uses: readonly TokenUse[]): Promise<void>;
}
