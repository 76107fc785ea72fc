/** One attempt to sign in with a provider: what the browser keeps, sealed, until the provider sends it back (SPEC 16). */

import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { DoneAct } from '../../accounts/http/kernel.ts';
import type { Sealer } from '../../accounts/second-factor/sealing.ts';
import { type CookieClient, cookieLine } from '../../accounts/sessions/session-jwt.ts';
import { clientKey } from '../../domain/addresses.ts';
import { createShares } from '../../domain/async.ts';
import { upTo } from '../../domain/bounded.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import { cookieValues } from '../../domain/sent-credentials.ts';

/** What the person wants of the provider. */
export type Purpose =
  | { readonly kind: 'login' }
  /** The signed-in person connects the account, which was made at `userCreatedAt`; `session` is the id of its tokens. */
  | { readonly kind: 'connect'; readonly user: string; readonly session: string; readonly userCreatedAt: number }
  /** The person shows again to be the person. */
  | { readonly kind: 'prove'; readonly user: string; readonly session: string }
  /** `token`: the secret of the invitation. */
  | { readonly kind: 'invitation'; readonly token: string };

export interface Attempt {
  readonly provider: string;
  readonly state: string;
  readonly nonce: string;
  /** The code verifier of RFC 7636. */
  readonly verifier: string;
  /** A path from the root of the host, base path included. */
  readonly returnTo: string;
  readonly purpose: Purpose;
  /** Unix seconds. */
  readonly expiresAt: number;
}

/**
 * Ends a sign-in. `reason`: what the person is told. The message is for the log and holds no token. `act`: what the audit log says
 * was refused; undefined: the fault is counted alone, for it may come with each of many requests.
 */
export class SignInFault extends Error {
  readonly reason: RefusalReason;
  readonly act: DoneAct | undefined;
  constructor(reason: RefusalReason, act?: DoneAct, why: string = reason) {
    super(why);
    this.reason = reason;
    this.act = act;
  }
}

/** The answer of a provider proves nothing, or is none. */
export const providerFault = (reason: RefusalReason, why: string): SignInFault =>
  new SignInFault(reason, { what: 'login', who: undefined }, why);

export const attemptOver = (): SignInFault => new SignInFault('sign-in-over');

/** Long enough for a login with a second step at the provider. */
export const ATTEMPT_SECONDS = 600;
const RANDOM_BYTES = 32;
/** Characters of the state that the name of its cookie has: several tabs have several cookies. */
const NAME_CHARACTERS = 12;
/** Attempts that a browser keeps at once; the oldest ones give way. */
const MOST_ATTEMPTS = 5;
const COOKIE_PREFIX = 'postern_oidc_';
const STATE = /^[A-Za-z0-9_-]{43}$/;

const random = (): string => randomBytes(RANDOM_BYTES).toString('base64url');

/** A new attempt. `now` in Unix seconds. */
export const newAttempt = (given: Pick<Attempt, 'provider' | 'returnTo' | 'purpose'>, now: number): Attempt => ({
  ...given,
  state: random(),
  nonce: random(),
  verifier: random(),
  expiresAt: now + ATTEMPT_SECONDS,
});

const attemptCookie = (name: string, provider: string) =>
  // Lax: the provider's answer is a navigation from another site, and must bring the cookie.
  ({ name, secure: 'auto', sameSite: 'lax', path: `/api/login/oidc/${provider}` }) as const;

const cookieName = (state: string): string => `${COOKIE_PREFIX}${state.slice(0, NAME_CHARACTERS)}`;

/** The `Set-Cookie` lines of an attempt that begins: its own, and the ends of surplus attempts. */
export function attemptCookies(
  attempt: Attempt,
  cookieHeader: string,
  sealer: Sealer,
  client: CookieClient,
): readonly string[] {
  const kept = cookieHeader
    .split(';')
    .map((pair) => pair.trim().split('=', 1)[0] ?? '')
    .filter((name) => name.startsWith(COOKIE_PREFIX) && /^[\w-]+$/.test(name));
  const surplus = kept.slice(0, Math.max(0, kept.length - MOST_ATTEMPTS + 1));
  const sealed = sealer.seal(Buffer.from(JSON.stringify(attempt)), boundTo(attempt.provider));
  return [
    cookieLine(attemptCookie(cookieName(attempt.state), attempt.provider), sealed, ATTEMPT_SECONDS, client),
    ...surplus.map((name) => cookieLine(attemptCookie(name, attempt.provider), '', 0, client)),
  ];
}

/** The line that ends the cookie of an attempt. */
export const endedAttemptCookie = ({ state, provider }: Pick<Attempt, 'state' | 'provider'>, client: CookieClient) =>
  cookieLine(attemptCookie(cookieName(state), provider), '', 0, client);

/** The attempt that the provider's answer belongs to. It is over in another browser, and when it took too long. */
export function attemptIn(
  cookieHeader: string,
  { provider, state }: { readonly provider: string; readonly state: string },
  sealer: Sealer,
  now: number,
): Attempt {
  const sealed = STATE.test(state) ? cookieValues(cookieHeader, cookieName(state)) : [];
  for (const text of sealed.map((one) => sealer.open(one, boundTo(provider)))) {
    const attempt: Attempt | undefined = text && JSON.parse(text.toString());
    if (attempt?.state === state && attempt.provider === provider && attempt.expiresAt > now) return attempt;
  }
  throw attemptOver();
}

const boundTo = (provider: string): string => `sign-in with ${provider}`;

/** How many answers of providers are asked about at once, and how often for one attempt: any visitor can make one up. */
export type CallbackPlaces = ReturnType<typeof createCallbackPlaces>;

const MOST_AT_ONCE = 32;
const MOST_OF_ADDRESS = 5;
const MOST_TRIES = 3;
const REMEMBERED_ATTEMPTS = 10_000;

export function createCallbackPlaces() {
  const tries = new LRUCache<string, number>(upTo(REMEMBERED_ATTEMPTS));
  const shares = createShares();
  return {
    /** What to call when the provider has answered. An attempt that was tried too often is over. */
    enter(address: string, state: string): () => void {
      const tried = tries.get(state) ?? 0;
      if (tried >= MOST_TRIES) throw attemptOver();
      const { take, release } = shares.hold([
        ['all', MOST_AT_ONCE],
        [clientKey(address), MOST_OF_ADDRESS],
      ]);
      if (!take()) throw new SignInFault('sign-in-busy');
      // Counted before it is known how it ends: one that succeeds is over as well.
      tries.set(state, tried + 1);
      return release;
    },
  };
}
