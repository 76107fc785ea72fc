/** Grants as they are kept (SPEC 4.4, 12, 13, 18). Times are Unix seconds. */
import type { Role, UserName } from '../names.ts';

/** What all kinds have. */
export interface Granted {
  /** Names the grant in lists and logs; it opens nothing. */
  readonly id: string;
  /** SHA-256 of the secret, which itself is kept nowhere. Null: it was not fetched yet. */
  readonly secretHash: string | null;
  readonly name: string | null;
  /** Whose rights it has; of an invitation, whose password it sets. */
  readonly user: UserName;
  /** When that account was made: the grant dies with it. Null: there is no account here, as of a proxy's user. */
  readonly userCreatedAt: number | null;
  /** The role that a token was made with, or the role of a link's maker at that time. */
  readonly role: Role | null;
  /** The API token by which it was made: the grant dies with it too. */
  readonly tokenId?: string | null;
  /** A narrowing to these cameras; null: none. */
  readonly cameras: readonly string[] | null;
  readonly createdAt: number;
  /** Null: it does not end by itself. */
  readonly expiresAt: number | null;
  /** Links stay in lists after their revocation; other grants are deleted. */
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
  readonly lastUsedFrom: string | null;
}

export interface ApiToken extends Granted {
  readonly secretHash: string;
  readonly name: string;
  readonly role: Role;
  /** Whether it opens the routes for users, roles, tokens and sessions, which otherwise need a person. */
  readonly managesAccounts: boolean;
  /** `POST /api/login` takes it in the place of the password. */
  readonly logsIn?: true;
  /** It draws and opens the curtain, and does nothing else. */
  readonly isForCurtain?: true;
}

/** Who makes a grant. */
export type GrantMaker = Pick<Granted, 'user' | 'userCreatedAt'> & {
  readonly tokenId: string | null;
  readonly role: Role;
};

/** A link, good once, by which a person sets the own password. */
export interface Invitation extends Granted {
  readonly secretHash: string;
  readonly userCreatedAt: number;
  /** The admin who made it, by name, or one of `MAKERS_WITHOUT_ACCOUNT`. */
  readonly madeBy: string;
  readonly expiresAt: number;
}

/** The kinds of the core; features add theirs here (`declare module`). */
export interface Grants {
  readonly 'api-token': ApiToken;
  readonly invitation: Invitation;
}
export type GrantKind = keyof Grants;

/** What a new grant has, where it has nothing of its own there. */
export const NEW_GRANT = {
  ...{ name: null, role: null, cameras: null, expiresAt: null },
  ...{ revokedAt: null, lastUsedAt: null, lastUsedFrom: null },
} as const;

export interface GrantUse {
  readonly id: string;
  readonly at: number;
  readonly from: string;
}

/** No user name has a colon. */
export const MAKERS_WITHOUT_ACCOUNT = { commandLine: ':command-line', internalListener: ':internal-listener' } as const;
