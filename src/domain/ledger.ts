/** The ledger: records of who watched what and of changes, and the interface of its store (SPEC 14). Times are Unix seconds. */

export const VIEWING_KINDS = ['live', 'history', 'export'] as const;
export type ViewingKind = (typeof VIEWING_KINDS)[number];
export const LEDGER_KINDS = [
  ...VIEWING_KINDS,
  'login',
  'login-failed',
  'logout',
  'change',
  'refusal',
  'link',
  /** A login from a new place; unusual viewing, as former versions told it. */
  'notice',
] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];

export const isViewingKind = (kind: string): kind is ViewingKind => VIEWING_KINDS.some((known) => known === kind);

/** What one record tells, without its place in a chain. */
export interface LedgerEntry {
  readonly kind: LedgerKind;
  readonly user: string | null;
  /** `session`, `token:<id>`, `link:<id>`, `proxy` or `internal`; null where none was accepted. */
  readonly credential: string | null;
  readonly address: string | null;
  /** Null where the request named none. */
  readonly camera: string | null;
  readonly from: number;
  readonly to: number;
  /** Recorded time that was asked for. */
  readonly watchedFrom: number | null;
  readonly watchedTo: number | null;
  /** A JSON object as text: it is hashed as it is stored. */
  readonly detail: string | null;
}

/** A span that goes on: it has no place in a chain yet. `id` is the span's own. */
export interface OpenSpan extends LedgerEntry {
  readonly id: string;
}

export interface LedgerRecord extends LedgerEntry {
  readonly chain: string;
  /** The number in its chain: from 1 on, without gaps. */
  readonly seq: number;
  /** SHA-256 in hex, over this record and the hash of the one before. */
  readonly hash: string;
}

/** The last record of a chain. */
export interface ChainHead {
  readonly chain: string;
  readonly seq: number;
  readonly hash: string;
}

/** All records of a chain up to this one were deleted; what ended on this day and later was kept. */
export interface ChainClosing extends ChainHead {
  /** `2026-11-22` */
  readonly day: string;
  readonly records: number;
}

/** Gives new entries their places behind the head. */
export type LinkEntries = (head: ChainHead, entries: readonly LedgerEntry[]) => readonly LedgerRecord[];

/** Which records of a chain are deleted. */
export interface Forgetting {
  readonly chain: string;
  /** Unix seconds: records that ended before, up to the first that did not. */
  readonly before: number;
  /** The day of `before`. */
  readonly day: string;
  readonly now: number;
  /** The record of the deletion. It stands in the chain itself: a deletion that no record tells is a forgery. */
  readonly recordOf: (closing: ChainClosing) => LedgerEntry;
  /** Whether a record is one of those. */
  readonly isOfDeletion: (entry: LedgerEntry) => boolean;
  readonly link: LinkEntries;
}

/** A row of the table of records as it stands there: its place may be forged. */
export interface StoredRecord extends LedgerRecord {
  readonly id: string;
}

/** What stood in the way of writing a chain, and was put right. */
export interface Mended {
  /** Rows behind the head that the head does not know: they keep their text and lose their place. */
  readonly rows: number;
  /** The id of the first of them, as it was. */
  readonly first: string | undefined;
  /** The chain had no head any more. */
  readonly isHeadRestored: boolean;
}

/** What is added at once. */
export interface LedgerBatch {
  /** `span`: the open span that has ended with it. */
  readonly ended: readonly { readonly entry: LedgerEntry; readonly span?: string }[];
  readonly open: readonly OpenSpan[];
}

/** Sums of one local day, for plots and for what is usual. */
export interface LedgerDay {
  readonly day: string;
  readonly user: string;
  /** Empty: the person. `token:<id>`, `link` (all of them) or `internal`: what shows pictures in the name of the person. */
  readonly viewer: string;
  readonly kind: ViewingKind;
  readonly camera: string;
  readonly seconds: number;
  readonly records: number;
  /** A bit for each hour of the day in which something was watched. */
  readonly hours: number;
}

/** Which records a caller may see; all that is given must hold. */
export interface LedgerSight {
  readonly own: string;
  /** The account's own records count since it was made: another person may have had the name before. Absent: all. */
  readonly ownSince?: { readonly at: number; readonly day: string } | undefined;
  /** Cameras that the caller sees; undefined: all. */
  readonly cameras: readonly string[] | undefined;
  /** Whether viewings of other people on these cameras are shown. */
  readonly others: boolean;
}

export interface LedgerQuestion {
  readonly kinds?: readonly LedgerKind[] | undefined;
  readonly user?: string | undefined;
  /** One of these names. */
  readonly cameras?: readonly string[] | undefined;
  readonly site?: string | undefined;
  /** Records with one of `acts` as `detail.what` that name this user, or that this user did and that name no user. */
  readonly about?: { readonly user: string; readonly acts: readonly string[] } | undefined;
  /** The bounds of time: some part of a span lies between the two. */
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  /** Undefined: everything. */
  readonly sight: LedgerSight | undefined;
}

/** The record behind which a page begins, newest first. */
export interface LedgerCursor {
  readonly from: number;
  readonly id: string;
}

/** A record as it is listed. `hash` is null while the span goes on. */
export interface ListedRecord extends LedgerEntry {
  readonly id: string;
  /** The site that wrote it; undefined for one without a name. */
  readonly site?: string | undefined;
  readonly hash: string | null;
}

/** Rejects with a store fault. */
export interface LedgerStore {
  /** A chain to write: one that no process writes any more, else a new one. Spans that it left open are returned. */
  claimChain(holder: string, now: number): Promise<{ readonly chain: string; readonly left: readonly OpenSpan[] }>;
  /** Makes the chain of the command line where it is not there yet; returns its name. No process claims it. */
  commandChain(now: number): Promise<string>;
  /** Ended spans and open ones, with the sums of `days`, in one transaction. Gives what was added: not what was told before. */
  append(
    chain: string,
    batch: LedgerBatch,
    days: readonly LedgerDay[],
    now: number,
    link: LinkEntries,
  ): Promise<readonly LedgerRecord[]>;
  /** Chains that no process writes any more, with the spans that they left open. */
  abandoned(now: number): Promise<readonly { readonly chain: string; readonly left: readonly OpenSpan[] }[]>;
  /** No process writes it any more. */
  release(chain: string): Promise<void>;
  heads(): Promise<readonly ChainHead[]>;
  closings(): Promise<readonly ChainClosing[]>;
  /** All rows in the order of their ids, behind this one: chain by chain, each in its order. */
  rows(behind: string, limit: number): Promise<readonly StoredRecord[]>;
  /** How many spans go on, by chain. */
  openSpans(): Promise<readonly { readonly chain: string; readonly spans: number }[]>;
  /** Deletes records, and adds a record that tells of it; undefined when none were as old. */
  forgetBefore(forgetting: Forgetting): Promise<ChainClosing | undefined>;
  /** Puts right what was changed in the store and stops the writing of a chain. */
  mend(chain: string, now: number): Promise<Mended>;
  /** Newest first. */
  find(question: LedgerQuestion, limit: number, cursor?: LedgerCursor): Promise<readonly ListedRecord[]>;
  days(question: LedgerQuestion, firstDay: string, lastDay: string): Promise<readonly LedgerDay[]>;
  /** Sums. */
  forgetDaysBefore(day: string): Promise<void>;
}

/** The chain of all commands of a site, whichever machine they run on: each adds to it and is gone. */
const COMMAND_CHAIN = 'cli';

/** The name of a chain begins with that of its site, which each record proves by its hash. */
export const chainAt = (site: string, name: string): string => (site === '' ? name : `${site}:${name}`);
export const commandChainAt = (site: string): string => chainAt(site, COMMAND_CHAIN);
export const isCommandChain = (chain: string): boolean => chain === commandChainAt(siteOfChain(chain) ?? '');

/** The site of a chain's records; undefined for those of a service without `server.site`. */
export function siteOfChain(chain: string): string | undefined {
  const end = chain.indexOf(':');
  return end < 0 ? undefined : chain.slice(0, end);
}

/** `main-000000000042` */
export const recordIdOf = ({ chain, seq }: Pick<ChainHead, 'chain' | 'seq'>): string =>
  `${chain}-${String(seq).padStart(12, '0')}`;
