/** Links: narrow credentials in an address, as they are kept, and the interface of their store (SPEC 13). Times are Unix seconds. */
import type { Role, UserName } from '../names.ts';
import type { SharedThing } from '../shared-thing.ts';

export interface LinkMaker {
  readonly user: UserName;
  /** When the maker's account was made: the link dies with it. Null: the maker is a proxy's user. */
  readonly userCreatedAt: number | null;
  /** The API token by which it was made: the link dies with it too. */
  readonly tokenId: string | null;
  /** The role at the creation: of a proxy's user nothing newer is known. */
  readonly role: Role;
}

export interface Link {
  /** Names the link in lists and logs; it opens nothing. */
  readonly id: string;
  /** SHA-256 of the secret, base64url; the secret itself is kept nowhere. */
  readonly secretHash: string;
  readonly thing: SharedThing;
  readonly maker: LinkMaker;
  readonly name: string | null;
  /** How many viewers may open it; null: any number. */
  readonly uses: number | null;
  /** A keyed digest; null: no PIN. */
  readonly pinHash: string | null;
  /** Whether the operator's webhook is told of the first opening. */
  readonly notifiesOnOpen: boolean;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly revokedAt: number | null;
}

/** A link with what changes by its use. */
export interface UsedLink extends Link {
  /** How many viewers have opened it. */
  readonly opened: number;
  /** Wrong PINs so far: after `MOST_WRONG_PINS` no PIN opens it. */
  readonly wrongPins: number;
  /** Latest first, at most `OPENINGS_KEPT`. */
  readonly openings: readonly Opening[];
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

/** Faults (disk, network) are thrown. */
export interface LinkStore {
  /** `absent` when the maker's account or token is gone; `too-many` when the maker has `most` links that hold at its creation. */
  addLink(link: Link, most: number): Promise<'added' | 'absent' | 'too-many'>;
  /** Whatever has become of it. */
  findLink(by: { readonly secretHash: string } | { readonly id: string }): Promise<Link | undefined>;
  /** Latest first, ended ones too until they are forgotten; of all makers without `user`. */
  listLinks(user?: string): Promise<readonly UsedLink[]>;
  revokeLink(id: string, at: number): Promise<'revoked' | 'absent'>;
  /** Counts the viewer if it is a new one: of many at once no more than `uses` are. */
  openLink(id: string, viewer: Viewer, now: number): Promise<OpeningOutcome>;
  /** What `openLink` would say, without counting. */
  mayOpen(id: string, viewer: Viewer, now: number): Promise<'may' | 'spent' | 'over'>;
  /** Counts the guess as wrong before the PIN is compared. False when there were too many. */
  reserveGuess(id: string): Promise<boolean>;
  /** The PIN was right: the guess no longer counts. */
  releaseGuess(id: string): Promise<void>;
  /** Links that ended before. */
  forgetLinksBefore(endedAt: number): Promise<void>;
}
