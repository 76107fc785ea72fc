/** The caller of a request, as identification found it, and the verdicts about it: authorization decides by them. */

import type { MaybePromise } from './async.ts';
import { ALL_CAMERAS, type CameraScope, isSameScope, type LimitedScope, maySee, scopeWithout } from './camera-scope.ts';
import { ADMIN, ANONYMOUS, type Role, type UserName } from './names.ts';
import type { Verb } from './policy.ts';
import type { RefusalReason, Reopening } from './refusal.ts';
import type { RequestFacts } from './request.ts';

/**
 * The one thing that a link shows (SPEC 13). Times are Unix seconds. An event and a review keep their camera: it never changes. A
 * review that was over when its link was made has its times.
 */
export type SharedThing =
  | {
      readonly kind: 'event' | 'review';
      readonly id: string;
      readonly camera: string;
      readonly from?: number;
      readonly to?: number;
    }
  | { readonly kind: 'recording'; readonly camera: string; readonly from: number; readonly to: number }
  | { readonly kind: 'live' | 'snapshot'; readonly camera: string };

/** The credential of the request. Times are Unix seconds. */
export type Credential =
  | {
      readonly kind: 'session';
      readonly tokenId: string;
      readonly issuedAt: number;
      readonly expiresAt: number;
      readonly carriedBy: 'cookie' | 'bearer';
      /** Names the password of the account that the token was issued for; absent in tokens of the NVR. */
      readonly secretsDigest?: string | undefined;
      /** The login that began the session, however often it was renewed since; absent: `issuedAt`. */
      readonly authenticatedAt?: number | undefined;
      /** When the password or a factor was last given in this session; absent: never. */
      readonly provenAt?: number | undefined;
      /** The OpenID Connect provider that the session began with; absent: none. */
      readonly provider?: string | undefined;
      /** The second factor was shown to that provider. */
      readonly hasProviderFactor?: true | undefined;
    }
  | {
      readonly kind: 'api-token';
      readonly tokenId: string;
      /** A browser that knows a `basic` password adds it by itself, as it does a cookie. */
      readonly carriedBy?: 'bearer' | 'basic' | 'cookie';
      /** Made for managing accounts; absent: it is not, whatever its role. */
      readonly managesAccounts?: true;
      /** It may stand in the place of the password at a login. */
      readonly logsIn?: true;
      /** The session that was begun with it; absent: the token itself was sent. */
      readonly session?: { readonly tokenId: string; readonly expiresAt: number };
      /** Absent: it does not end by itself. */
      readonly expiresAt?: number;
    }
  /** A link shows one thing of one camera, with the rights of its maker; it is no person. */
  | {
      readonly kind: 'link';
      readonly linkId: string;
      /** Absent: it has none. */
      readonly linkName?: string;
      readonly thing: SharedThing;
      readonly expiresAt: number;
      /** The id in the cookie that the link's page has set. */
      readonly viewer?: string;
    }
  /** A display that a person has paired: it shows live pictures with the rights of that person; it is no person. */
  | {
      readonly kind: 'screen';
      readonly screenId: string;
      readonly screenName: string;
      /** Absent: it does not end by itself. */
      readonly expiresAt?: number;
    }
  /** `expiresAt`: of the signed token of the proxy; absent: plain headers name no end. */
  | { readonly kind: 'proxy-headers'; readonly expiresAt?: number }
  | { readonly kind: 'internal-listener' }
  /** No credential of the person who is named: an admin looks at what that person sees. It reads, and does nothing else. */
  | { readonly kind: 'view-as'; readonly by: Caller }
  /** The administrator who runs a command of `postern` on the service's machine: no request has it. */
  | { readonly kind: 'command-line' };

/** Why a caller who is known may do nothing now, and when that ends; without `opens` it does not end by itself. */
export interface Closed {
  readonly reason: 'account-not-begun' | 'account-ended' | 'role-missing' | 'outside-hours';
  readonly opens?: Reopening;
}

/** Why a login ends although all that was given is right. `password-off`: the user may not use a password (`auth.password_login`). */
export type Barred = Closed | { readonly reason: 'password-off'; readonly opens?: undefined };

/** Nothing older is seen than `from` (Unix seconds), or than so many seconds; of both the later counts. */
export interface HistoryLimit {
  readonly from?: number;
  readonly seconds?: number;
}

/** What a role is worth at a moment; of several roles together, too. Made by `rights.ts`. */
export interface Rights {
  /** The role; of several the first, which is the one that the NVR is told. */
  readonly role: Role;
  readonly scope: CameraScope;
  /** Absent: nothing is denied. */
  readonly denied?: readonly Verb[];
  /** Absent: all that there is. */
  readonly history?: HistoryLimit;
  readonly closed?: Closed;
  /** Unix seconds: when the clock alone changes these rights. Absent: never. */
  readonly changesAt?: number;
}

export interface Caller extends Rights {
  readonly name: UserName;
  readonly credential: Credential;
  /** All roles, where the groups of a proxy or a provider give more than one. */
  readonly roles?: readonly Role[];
  /** An API token that was made for this right of a feature does nothing else. Absent: it was not. */
  readonly right?: string;
  /** The cameras that are drawn for the caller and taken out of its scope: they do not exist for it (SPEC 19). Absent: none. */
  readonly drawn?: LimitedScope;
  /** What took them, and how they are given back, in words. */
  readonly drawnBy?: readonly [what: string, remedy: string];
  /** The user must have a second factor and has none yet: nothing may be done but set one up. */
  readonly mustEnrol?: true;
  /** The account has an end. */
  readonly isGuest?: true;
  /** The password was generated at the first start: the console asks for another one, programs go on. */
  readonly hasGeneratedPassword?: true;
}

/** A credential narrowed to some cameras administers nothing, whatever its role (SPEC 11). */
export const isAdministrator = ({ role, scope }: Caller): boolean => role === ADMIN && scope.kind === 'all';

const limitsText = ({ denied = [], history = {} }: Rights): string =>
  JSON.stringify([[...denied].sort(), history.from ?? null, history.seconds ?? null]);

export const isDenied = ({ denied }: Pick<Rights, 'denied'>, verb: Verb): boolean => denied?.includes(verb) ?? false;

/** Why a caller that was admitted may not go on; undefined while the rights are the same. `now` comes from a recheck. */
export function lostRights(
  now: Caller | undefined,
  then: Caller,
): 'token-invalid' | 'role-too-low' | 'second-factor-required' | Closed['reason'] | undefined {
  if (!now) return 'token-invalid';
  if (now.closed) return now.closed.reason;
  if (now.mustEnrol && !then.mustEnrol) return 'second-factor-required';
  const isSame = now.role === then.role && isSameScope(now.scope, then.scope) && limitsText(now) === limitsText(then);
  return isSame ? undefined : 'role-too-low';
}

/** Whether the rights of before would be those of now if what is drawn at either moment were drawn at both. */
export const hasSameBesideDrawn = (now: Caller, then: Caller): boolean =>
  lostRights(behindThatOf(now, then), behindThatOf(then, now)) === undefined;

const behindThatOf = (caller: Caller, { drawn }: Caller): Caller =>
  drawn ? { ...caller, scope: scopeWithout(caller.scope, drawn) } : caller;

/** Whether the camera is drawn for the caller: it does not exist then. */
export const isDrawnFor = ({ drawn }: Pick<Caller, 'drawn'>, camera: string): boolean =>
  drawn !== undefined && maySee(drawn, camera);

/** The entries without the names of cameras that are drawn for the caller, who may have written them once. Null stays. */
export const withoutDrawn = (entries: readonly string[] | null, caller: Pick<Caller, 'drawn'>): string[] | null =>
  entries?.filter((entry) => !isDrawnFor(caller, entry)) ?? null;

/** Interface 5.6: on port 5000 all requests are anonymous, with admin-level access. */
export const INTERNAL_CALLER: Caller = {
  name: ANONYMOUS,
  role: ADMIN,
  scope: ALL_CAMERAS,
  credential: { kind: 'internal-listener' },
};

/** Verdicts of the steps of a decision, as unions: a step says what it found, the gateway turns it into a response. */
export type IdentityVerdict =
  | { readonly kind: 'identified'; readonly caller: Caller }
  /** The source saw nothing of its own: ask the next one. */
  | { readonly kind: 'silent' }
  /** The source saw a bad credential. No other source is asked, so it cannot fall through to a weaker one. */
  | { readonly kind: 'refused'; readonly reason: RefusalReason };

/** A way of knowing who calls. Sources are asked in order, until one is not silent. */
export type IdentitySource = (request: RequestFacts) => MaybePromise<IdentityVerdict>;

/** What a credential is worth right now. */
export type Verdict<Fault> =
  | { readonly kind: 'valid'; readonly caller: Caller }
  | { readonly kind: 'invalid'; readonly reason: Fault };

export type SessionVerdict = Verdict<SessionFault>;
export type ApiTokenVerdict = Verdict<ApiTokenFault>;

/** All but the last are one to the client. */
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
