/** The ledger: records of who watched what and of changes (SPEC 14). Times are Unix seconds. */
import { isRecord, type JsonRecord, parsedJson } from '../../domain/json.ts';
import { PICTURE_KINDS } from '../../domain/policy.ts';
import type { RecordOf } from '../../store/engine/tables.ts';
import type { AuditedAct } from '../feature.ts';

export const LEDGER_KINDS = [
  ...PICTURE_KINDS,
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

/** Kinds of records that people are told of; `notice`: a login from a new place, which is recorded for this alone. */
export const TOLD_KINDS: readonly LedgerKind[] = ['change', 'link', 'notice'];

/** The kind of the record of what was audited. */
export function ledgerKind({ what, verdict }: AuditedAct): LedgerKind {
  if (what === 'login') return verdict === 'allowed' ? 'login' : 'login-failed';
  if (what === 'token-refused') return 'login-failed';
  if (verdict === 'refused') return 'refusal';
  if (what === 'logout') return 'logout';
  if (what === 'new-device' || what === 'new-network') return 'notice';
  return what.startsWith('link-') ? 'link' : 'change';
}

/** Each request by a link can be made to look like one of a new viewer; a page that is viewed as another person has many. */
const IN_CROWDS: ReadonlySet<string> = new Set(['link-opened', 'link-pin', 'viewed-as']);
/** One record is kept of such acts that follow each other. */
export const comesInCrowds = ({ what }: AuditedAct): boolean => IN_CROWDS.has(what);

/** An entry without a place in a chain yet, with an id by which it is not recorded twice: that of its span, or one of its own. */
export type OwnEntry = RecordOf<'ledger_open'>;
/** What one record tells, without its place in a chain. */
export type LedgerEntry = Omit<OwnEntry, 'id'>;

/** What the service itself did, at that moment. */
export const ownAct = (at: number, detail: object, address: string | null = null): LedgerEntry => ({
  ...{ kind: 'change', ...NOBODY, address, from: at, to: at },
  ...{ watchedFrom: null, watchedTo: null, detail: JSON.stringify(detail) },
});

/** What an entry tells of who did it, where nothing is known. */
export const NOBODY = { user: null, credential: null, address: null, camera: null } as const;

/** The place of a record in a chain; as a value of its own, that of the last one. */
export type ChainHead = RecordOf<'ledger_chains'>;

export type LedgerRecord = LedgerEntry & ChainHead;

/** All records of a chain up to this one were deleted; what ended on this day and later was kept. */
export type ChainClosing = Omit<RecordOf<'ledger_closings'>, 'id'>;

/** Which records are deleted, and why. Times are Unix seconds. */
export interface Forgetting {
  readonly at: number;
  /** Records that ended before, up to the first of their chain that did not. */
  readonly before: number;
  /** The day of `before`. */
  readonly day: string;
  /** `ledger.retention` at that time. */
  readonly retentionDays: number;
}

/** A row of the table of records as it stands there: its place may be forged. */
export interface StoredRecord extends LedgerRecord {
  readonly id: string;
}

/** What is added at once: spans that have ended, and those that go on. */
export interface LedgerBatch {
  readonly ended: readonly OwnEntry[];
  readonly open: readonly OwnEntry[];
}

/** Sums of one local day, for plots. */
export type LedgerDay = RecordOf<'ledger_days'>;

/** A record as it is listed. `hash` is null while the span goes on. */
export interface ListedRecord extends OwnEntry {
  readonly hash: string | null;
}

/** The record behind which a page begins, newest first. */
export type LedgerCursor = Pick<ListedRecord, 'from' | 'id'>;

/**
 * Which one of the chains of the store it is, from 1 on: another one begins where the one before does not fit any more. 0 for
 * those of former versions, which had several.
 */
export const chainNumber = (chain: string): number =>
  Number(/^store(?<number>[1-9]\d{0,8})$/.exec(chain)?.groups?.['number'] ?? 0);
export const chainNamed = (number: number): string => `store${number}`;

/** The head behind which the next record belongs. */
export const currentHead = (heads: readonly ChainHead[]): ChainHead | undefined =>
  heads
    .filter(({ chain }) => chainNumber(chain) > 0)
    .sort((one, other) => chainNumber(other.chain) - chainNumber(one.chain))[0];

/** `store1-000000000042` */
export const recordId = ({ chain, seq }: Pick<ChainHead, 'chain' | 'seq'>): string =>
  `${chain}-${String(seq).padStart(12, '0')}`;

/** The detail of a record. A text that was changed in the store, and is no object any more, tells nothing: it must not stop its reader. */
export function readDetail({ detail }: Pick<LedgerEntry, 'detail'>): JsonRecord {
  const told = parsedJson(detail ?? '');
  return isRecord(told) ? told : {};
}
