/** What is audited, as entries of the ledger: logins, changes and refusals (SPEC 14). Pure. */
import { NOTICE_KINDS } from '../../domain/accounts/notice.ts';
import type { AuditedAct } from '../feature.ts';
import { type LedgerEntry, type LedgerKind, NOBODY } from './records.ts';
import { type Subject, storable, subjectEntry } from './spans.ts';

/** Recorded elsewhere, or of no use when a year has passed. */
const LEFT_OUT: ReadonlySet<string> = new Set(['who', 'from', 'credential', 'verdict', 'agent', 'requestId']);

/** Each request by a link can be made to look like one of a new viewer; a page that is viewed as another person has many. */
const IN_CROWDS: ReadonlySet<string> = new Set(['link-opened', 'link-pin', 'viewed-as']);

/** Shown to the person whose account it is; recorded also where the ledger is off. */
export const isNotice = ({ what, verdict }: AuditedAct): boolean =>
  verdict === 'allowed' && NOTICE_KINDS.some((kind) => kind === what);

export type ActRecord =
  | { readonly kind: 'once'; readonly entry: LedgerEntry }
  /** Comes in crowds: those that follow each other are one record, with their number, and the first of the names that were made up. */
  | { readonly kind: 'repeated'; readonly subject: Subject; readonly madeUp?: string };

export function actRecord(act: AuditedAct, at: number): ActRecord {
  const kind = ledgerKind(act);
  if (kind === 'login-failed' && isOfStranger(act)) return doingOfStranger(act);
  const subject: Subject = {
    kind,
    user: act.who ?? null,
    credential: act.credential ?? null,
    address: act.from ?? null,
    camera: null,
    detail: actDetail(act),
  };
  if (kind === 'refusal' || kind === 'login-failed' || IN_CROWDS.has(act.what)) return { kind: 'repeated', subject };
  return { kind: 'once', entry: subjectEntry(subject, { from: at, to: at }) };
}

/** No password was compared: too many attempts, or no time to check one. */
const UNTRIED: ReadonlySet<string> = new Set(['rate-limited', 'busy']);

/** Failures of an account, and of a token that was good, are records of their own; whatever else fails says nothing of a name. */
const isOfStranger = ({ who, reason = '', unknown, tokenId }: AuditedAct): boolean =>
  unknown === true || UNTRIED.has(reason) || (who === undefined && (tokenId === undefined || reason === 'unknown'));

/** One record for an address, however many names it makes up. */
function doingOfStranger(act: AuditedAct): ActRecord {
  const { what, reason, from = null, who, tokenId, unknown } = act;
  const detail = { what, ...(reason !== undefined && { reason: storable(reason) }) };
  const madeUp = unknown ? who : tokenId;
  const subject: Subject = { kind: 'login-failed', ...NOBODY, address: from, detail };
  return { kind: 'repeated', subject, ...(madeUp !== undefined && { madeUp: storable(madeUp) }) };
}

function ledgerKind({ what, verdict }: AuditedAct): LedgerKind {
  if (what === 'login') return verdict === 'allowed' ? 'login' : 'login-failed';
  if (what === 'token-refused') return 'login-failed';
  if (verdict === 'refused') return 'refusal';
  if (what === 'logout') return 'logout';
  if (what === 'new-device' || what === 'new-network') return 'notice';
  return what.startsWith('link-') ? 'link' : 'change';
}

const actDetail = (act: AuditedAct): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(act).flatMap(([name, value]) =>
      typeof value === 'string' && (!LEFT_OUT.has(name) || (name === 'agent' && isNotice(act)))
        ? [[name, storable(value)]]
        : [],
    ),
  );
