/** Who a session token says is calling: `Authorization: Bearer`, else the session cookie (interface 5.1, SPEC 3). */

import { allMaybe, type MaybePromise, mapMaybe } from '../domain/async/maybe-promise.ts';
import type { Caller } from '../domain/caller.ts';
import { cookieValues } from '../domain/cookie-values.ts';
import { ownCredentials } from '../domain/identity/own-credential.ts';
import { headerLines, type RequestFacts } from '../domain/request.ts';
import type { IdentitySource, IdentityVerdict, SessionVerdict } from '../domain/verdict.ts';
import type { SessionTrace, Trace } from './identity-trace.ts';

export interface SessionSourceOptions {
  readonly cookieName: string;
  readonly verify: (token: string, carriedBy: 'cookie' | 'bearer') => MaybePromise<SessionVerdict>;
  readonly trace?: Trace<SessionTrace> | undefined;
}

/** RFC 6750 section 2.1. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

const SILENT: IdentityVerdict = { kind: 'silent' };
const REFUSED: IdentityVerdict = { kind: 'refused', reason: 'token-invalid' };

/** A bad bearer token of ours is refused even beside a good cookie. What is none of ours is no credential. */
export function createSessionSource(options: SessionSourceOptions): IdentitySource {
  return {
    name: 'session',
    identify: (request) => {
      const [bearer, ...others] = ownCredentials(request);
      if (bearer) return firstValid(request, others.length === 0 ? [bearer.token] : [], 'bearer', options);
      const cookies = cookieValues(headerLines(request, 'cookie'), options.cookieName);
      if (cookies.length > 0) return firstValid(request, cookies, 'cookie', options);
      options.trace?.({ source: 'session', carriedBy: undefined, outcomes: [] }, request);
      return SILENT;
    },
  };
}

function firstValid(
  request: RequestFacts,
  tokens: readonly string[],
  carriedBy: 'cookie' | 'bearer',
  { verify, trace }: SessionSourceOptions,
): MaybePromise<IdentityVerdict> {
  const asked = tokens.map((token) => (TOKEN.test(token) ? verify(token, carriedBy) : MALFORMED));
  return mapMaybe(allMaybe(asked), (verdicts) => {
    if (trace) trace({ source: 'session', carriedBy, outcomes: verdicts.map(outcomeOf) }, request);
    return oneCaller(verdicts);
  });
}

const MALFORMED: SessionVerdict = { kind: 'invalid', reason: 'malformed' };

const outcomeOf = (verdict: SessionVerdict): SessionTrace['outcomes'][number] =>
  verdict.kind === 'valid' ? 'valid' : verdict.reason;

/** Cookies of two users are refused: another host of the same site can set its own cookie in front of the user's. */
function oneCaller(verdicts: readonly SessionVerdict[]): IdentityVerdict {
  let caller: Caller | undefined;
  for (const verdict of verdicts) {
    if (verdict.kind !== 'valid') continue;
    if (caller && caller.name !== verdict.caller.name) return REFUSED;
    caller ??= verdict.caller;
  }
  return caller ? { kind: 'identified', caller } : REFUSED;
}
