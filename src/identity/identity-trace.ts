/** The identity headers of a request, each as received, with what became of it: for the log and for `explain` (interface 2.5). */

import type { CredentialKind } from '../domain/credentials.ts';
import type { Role } from '../domain/names.ts';
import type { RefusalReason } from '../domain/refusal.ts';
import { normalizedHeaderName, type RequestFacts } from '../domain/request.ts';
import { CREDENTIAL_HEADERS, headerText } from './identity-header.ts';

/**
 * Headers that are mapped or on the allowlist, in any spelling, and others whose names look like identity headers. `whyDropped`: by
 * the lower-case name; undefined for one that is kept.
 */
export function headerTraces(
  { rawHeaders }: RequestFacts,
  named: ReadonlySet<string | undefined>,
  whyDropped: (name: string) => string | undefined,
): readonly HeaderTrace[] {
  const notes: HeaderTrace[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    const alike = normalizedHeaderName(name);
    if (named.has(alike) || alike.startsWith('remote-')) {
      const why = whyDropped(name);
      const value = shownValue(alike, headerText(rawHeaders[at + 1] ?? ''));
      notes.push({ name, value, fate: why === undefined ? 'kept' : 'dropped', why });
    } else if (LOOKS_LIKE_IDENTITY.test(alike) && alike !== 'user-agent') {
      // The value may hold credentials.
      notes.push({ name, value: '[not shown]', fate: 'dropped', why: 'neither mapped nor on the allowlist' });
    }
  }
  return notes;
}

/** Adds the headers to what the sources tell that do not read them. */
export const tracingHeaders =
  (trace: Trace, allowlist: ReadonlySet<string>): Trace<SourceTrace> =>
  (entry, request, whyUnread) => {
    if (entry.source === 'proxy-headers') return trace(entry, request);
    const ofGrant = whyUnread ?? `the ${entry.source} says who is calling, and no header counts`;
    const why = WHY_UNREAD[entry.source] ?? ofGrant;
    trace({ ...entry, headers: headerTraces(request, allowlist, () => why) }, request);
  };

/** The first is the most frequent surprise: with accounts of its own, the service believes no header at all (interface 5.5.1). */
export const WHY_UNREAD: Readonly<Partial<Record<CredentialKind, string>>> = {
  session: 'auth.enabled is true, so identity headers are ignored',
  'api-token': 'the API token identifies the caller',
};

const LOOKS_LIKE_IDENTITY = /(?:^|-)(?:user|username|groups?|roles?|e?mail)(?:-|$)/;
const LONGEST_SHOWN = 256;

/** `name` is normalized. */
const shownValue = (name: string, value: string): string =>
  CREDENTIAL_HEADERS.has(name)
    ? '[hidden]'
    : value.length > LONGEST_SHOWN
      ? `${value.slice(0, LONGEST_SHOWN)}…`
      : value;

/** An identity header as received. */
export interface HeaderTrace {
  readonly name: string;
  /** Shortened, or `[hidden]` for a header that holds credentials. */
  readonly value: string;
  readonly fate: 'kept' | 'dropped';
  /** Why it was dropped. */
  readonly why: string | undefined;
}

export interface ProxyTrace {
  readonly source: 'proxy-headers';
  /** Whether the proxy showed `proxy.auth_secret`; never the secret itself. */
  readonly proxySecret: 'right' | 'missing or wrong' | 'none is set';
  readonly headers: readonly HeaderTrace[];
  /** The first fifty. */
  readonly groups: readonly string[];
  /** The sentence of the rule that gave or denied the role; undefined when it did not come to that. */
  readonly rule: string | undefined;
  readonly user: string | undefined;
  readonly role: Role | undefined;
  readonly refused: RefusalReason | undefined;
}

export type SourceTrace =
  | {
      readonly source: Exclude<CredentialKind, 'proxy-headers'>;
      /** How a session or an API token came; undefined when the request brought none. */
      readonly carriedBy?: 'cookie' | 'bearer' | 'basic' | undefined;
      /** The outcome of each token that was looked at, in the order received. */
      readonly outcomes: readonly string[];
    }
  | ProxyTrace;

/** The trace with the identity headers that came along, read or not. Holds no cookie, token or secret. */
export type IdentityTrace = SourceTrace & { readonly headers: readonly HeaderTrace[] };

/** `whyUnread`: why the identity headers count for nothing. */
export type Trace<Entry = IdentityTrace> = (entry: Entry, request: RequestFacts, whyUnread?: string) => void;
