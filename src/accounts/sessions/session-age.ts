/** The absolute end of a session: counted from its login, whatever renewed it since (SPEC 12). */
import { LRUCache } from 'lru-cache';
import { upTo } from '../../domain/bounded.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import type { SessionClaims } from './session-jwt.ts';

type AgedSession = Pick<SessionClaims, 'issuedAt'> & { readonly authenticatedAt?: number | undefined };

export interface SessionAge {
  /** Unix seconds; infinite when sessions have no such end. */
  endOf(session: AgedSession): number;
  /** The end may have been brought forward since the token was issued. */
  fault(session: AgedSession, now: number): 'expired' | undefined;
  /** `seconds`, or less when the session of one of our own tokens ends before. */
  within(seconds: number, token: string, clock: Clock): number;
}

/** When the user last proved to be the user. The NVR's tokens, and those of older versions, do not say it. */
export const loginOf = ({ authenticatedAt, issuedAt }: AgedSession): number => authenticatedAt ?? issuedAt;

/** A renewed token is sent again with every request for a while: its claims are read once. */
const REMEMBERED_ENDS = 1000;

/** `maxAge` in seconds; null: however old. */
export function createSessionAge(maxAge: number | null): SessionAge {
  const endOf = (session: AgedSession): number =>
    maxAge === null ? Number.POSITIVE_INFINITY : loginOf(session) + maxAge;
  const endsOfTokens = new LRUCache<string, number>(upTo(REMEMBERED_ENDS));
  const endOfToken = (token: string): number => {
    const known = endsOfTokens.get(token);
    if (known !== undefined) return known;
    const { auth_time, iat } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    const end = endOf({ authenticatedAt: auth_time, issuedAt: iat });
    endsOfTokens.set(token, end);
    return end;
  };
  return {
    endOf,
    fault: (session, now) => (endOf(session) <= now ? 'expired' : undefined),
    within: (seconds, token, clock) =>
      maxAge === null ? seconds : Math.max(0, Math.min(seconds, endOfToken(token) - unixSeconds(clock))),
  };
}
