/** Verdicts of the steps of a decision, as unions: a step says what it found, the gateway turns it into a response. */

import type { MaybePromise } from './async/maybe-promise.ts';
import type { Caller } from './caller.ts';
import type { RefusalReason } from './refusal.ts';
import type { RequestFacts } from './request.ts';

export type IdentityVerdict =
  | { readonly kind: 'identified'; readonly caller: Caller }
  /** The source saw nothing of its own: ask the next one. */
  | { readonly kind: 'silent' }
  /** The source saw a bad credential. No other source is asked, so it cannot fall through to a weaker one. */
  | { readonly kind: 'refused'; readonly reason: RefusalReason };

/** A way of knowing who calls. Sources are asked in order, until one is not silent. */
export interface IdentitySource {
  readonly name: string;
  identify(request: RequestFacts): MaybePromise<IdentityVerdict>;
}

/** What a credential is worth right now. */
export type Verdict<Fault> =
  | { readonly kind: 'valid'; readonly caller: Caller }
  | { readonly kind: 'invalid'; readonly reason: Fault };

export type SessionVerdict = Verdict<SessionFault>;
export type ApiTokenVerdict = Verdict<ApiTokenFault>;
export type LinkVerdict = Verdict<LinkFault>;
export type ScreenVerdict = Verdict<ScreenFault>;

export const LINK_FAULTS = ['unknown', 'expired', 'revoked', 'maker-gone', 'pin-missing', 'limited'] as const;
/** All but the last two are one to the client. */
export type LinkFault = (typeof LINK_FAULTS)[number];

/** All but the last are one to the client. */
export type ScreenFault = 'unknown' | 'expired' | 'maker-gone' | 'limited';

export type ApiTokenFault =
  | 'malformed'
  /** Never created, revoked, or with a wrong secret: the response does not tell which. */
  | 'unknown'
  | 'expired'
  | 'user-gone'
  /** Bad, and too many bad tokens came from the same address. */
  | 'limited';

export type SessionFault =
  | 'expired'
  | 'signature'
  | 'malformed'
  | 'claims'
  | 'revoked'
  | 'user-gone'
  | 'password-changed'
  | 'factor-owed';

/** What the decision leaves on Koa's `ctx.state` for the service's own routes. */
export interface RouteState {
  /** Undefined on a public route when the caller is unknown. */
  readonly caller: Caller | undefined;
  /** The reason why the credentials that came along were not accepted, on public routes. */
  readonly credentialFault?: RefusalReason | undefined;
  /** The client's address, as found behind trusted proxies (interface 5.4). */
  readonly clientAddress: string;
  /** Whether the client came over TLS, here or at a trusted proxy. */
  readonly clientEncrypted: boolean;
  /** The prefix below which the client sees the service; absent for none. */
  readonly basePath?: string;
  readonly requestId: string;
  /** The client's `User-Agent`. */
  readonly clientAgent?: string | undefined;
  /** Left by a route that took its part of a request: what goes on in its place. */
  sentInstead?: { readonly query: string; readonly body: Buffer };
}
