/** What a source saw and made of it, for the log `service.api.auth` at debug and for `explain` (interface 2.5). */

import type { ApiTokenFault, LinkFault, ScreenFault, SessionFault } from '../domain/caller.ts';
import type { Role } from '../domain/names.ts';
import type { RefusalReason } from '../domain/refusal.ts';
import type { RequestFacts } from '../domain/request.ts';

/** An identity header as received. */
export interface HeaderTrace {
  readonly name: string;
  /** Shortened, or `[hidden]` for a header that holds credentials. */
  readonly value: string;
  readonly fate: 'kept' | 'dropped';
  /** Why it was dropped. */
  readonly why: string | undefined;
}

export interface SessionTrace {
  readonly source: 'session';
  /** Undefined when the request brought no token. */
  readonly carriedBy: 'cookie' | 'bearer' | undefined;
  /** The outcome of each token that was looked at, in the order received. */
  readonly outcomes: readonly ('valid' | SessionFault)[];
}

export interface ApiTokenTrace {
  readonly source: 'api-token';
  readonly carriedBy: 'bearer' | 'basic';
  readonly outcome: 'valid' | ApiTokenFault;
}

export interface LinkTrace {
  readonly source: 'link';
  readonly outcome: 'valid' | LinkFault;
}

export interface ScreenTrace {
  readonly source: 'screen';
  readonly outcome: 'valid' | ScreenFault;
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

export type SourceTrace = SessionTrace | ApiTokenTrace | LinkTrace | ScreenTrace | ProxyTrace;

/** The trace with the identity headers that came along, read or not. Holds no cookie, token or secret. */
export type IdentityTrace = SourceTrace & { readonly headers: readonly HeaderTrace[] };

export type Trace<Entry = IdentityTrace> = (entry: Entry, request: RequestFacts) => void;
