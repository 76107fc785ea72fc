/** What is audited, as entries of the ledger: logins, changes and refusals (SPEC 14). Pure. */
import type { LedgerEntry, LedgerKind } from '../domain/ledger.ts';
import { type Subject, storable } from './sightings.ts';

/** As much of an audited act as is told. Other fields that are texts are told in `detail`. */
export interface AuditedAct {
  readonly what: string;
  readonly who?: string | undefined;
  readonly from?: string | undefined;
  /** By which credential: `session:<id>`, `token:<id>`, `link:<id>`, `proxy` or `internal`. */
  readonly credential?: string | undefined;
  readonly verdict: 'allowed' | 'refused';
}

/** Told elsewhere, or of no use when a year has passed. */
const LEFT_OUT: ReadonlySet<string> = new Set(['who', 'from', 'credential', 'verdict', 'agent', 'requestId']);

/** Each request by a link can be made to look like one of a new viewer. */
const BY_STRANGERS: ReadonlySet<string> = new Set(['link-opened', 'link-pin']);

export type Doing =
  | { readonly kind: 'once'; readonly entry: LedgerEntry }
  /** Comes in crowds: those that follow each other are one record, with their number. */
  | { readonly kind: 'repeated'; readonly subject: Subject };

export function doingOf(act: AuditedAct, at: number): Doing {
  const kind = kindOf(act);
  const subject: Subject = {
    kind,
    user: act.who ?? null,
    credential: act.credential ?? null,
    address: act.from ?? null,
    camera: null,
    detail: detailOf(act),
  };
  if (kind === 'refusal' || kind === 'login-failed' || BY_STRANGERS.has(act.what)) return { kind: 'repeated', subject };
  return { kind: 'once', entry: entryOf(subject, at) };
}

/** One act, whatever follows it. */
export function entryOf({ detail = {}, kind, user, credential, address, camera }: Subject, at: number): LedgerEntry {
  const when = { from: Math.round(at * 1000) / 1000, to: Math.round(at * 1000) / 1000 };
  const fields = { kind, user, credential, address, camera };
  return { ...fields, ...when, watchedFrom: null, watchedTo: null, detail: JSON.stringify(detail) };
}

function kindOf({ what, verdict }: AuditedAct): LedgerKind {
  if (what === 'login') return verdict === 'allowed' ? 'login' : 'login-failed';
  if (what === 'token-refused') return 'login-failed';
  if (verdict === 'refused') return 'refusal';
  if (what === 'logout') return 'logout';
  return what.startsWith('link-') ? 'link' : 'change';
}

const detailOf = (act: AuditedAct): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(act).flatMap(([name, value]) =>
      typeof value === 'string' && !LEFT_OUT.has(name) ? [[name, storable(value)]] : [],
    ),
  );
