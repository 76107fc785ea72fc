/** Grants as they are kept (SPEC 4.4, 12, 13, 18). Times are Unix seconds. */

import type { SharedThing } from '../caller.ts';
import type { Role, UserName } from '../names.ts';
import type { PasskeyRecord, SpentChallenge } from './second-factor.ts';

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

export interface Link extends Granted {
  readonly secretHash: string;
  /** Nothing newer is known of a proxy's user. */
  readonly role: Role;
  readonly thing: SharedThing;
  /** The API token by which it was made: the link dies with it too. */
  readonly tokenId: string | null;
  /** How many viewers may open it; null: any number. */
  readonly uses: number | null;
  /** A keyed digest; null: no PIN. */
  readonly pinHash: string | null;
  /** Whether the operator's webhook is told of the first opening. */
  readonly notifiesOnOpen: boolean;
  readonly expiresAt: number;
}

/** Whose link it is. */
export type LinkMaker = Pick<Link, 'user' | 'userCreatedAt' | 'tokenId' | 'role'>;

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
  readonly link: Link;
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

/** What a person with an invitation brings instead of a password. */
export interface InvitedPasskey {
  readonly passkey: PasskeyRecord;
  readonly challenge: SpentChallenge;
  /** The hash of a text that no person knows: it replaces the password. */
  readonly passwordHash: string;
  /** Random; it becomes the user's `factorEpoch`. */
  readonly epoch: string;
}

/** Who opened a link, when and from where. */
export interface Opening {
  readonly at: number;
  readonly address: string;
  readonly agent: string | null;
}

/** One who looks at a link: the same one by a cookie of that link, or by address and program. */
export interface Viewer {
  /** The viewer's id from the cookie; undefined without one. */
  readonly id: string | undefined;
  /** A digest of address and program. */
  readonly client: string;
  readonly address: string;
  readonly agent: string | null;
}

/** `opened`: as a new viewer, the `count`th. `known`: let in at `since`. `spent`: others have used it up. `over`: revoked, at its end, or deleted. */
export type OpeningOutcome =
  | { readonly kind: 'opened'; readonly count: number }
  | { readonly kind: 'known'; readonly since: number }
  | { readonly kind: 'spent' | 'over' };

export const OPENINGS_KEPT = 20;
/** Requests of one viewer count as one for so long after the first. */
export const VIEWING_SECONDS = 3600;
/** Four digits are guessed by one in 200 then, however slowly the guesses come. */
export const MOST_WRONG_PINS = 50;
