/** Who a session token says is calling: `Authorization: Bearer`, else the session cookie (interface 5.1, SPEC 3). */

import { allMaybe, type MaybePromise, mapMaybe } from '../domain/async/maybe-promise.ts';
import type { Caller } from '../domain/caller.ts';
import { ownCredentials } from '../domain/identity/own-credential.ts';
import { headerLines, type RequestFacts } from '../domain/request.ts';
import type { IdentitySource, IdentityVerdict, SessionVerdict } from '../domain/verdict.ts';
import type { SessionTrace, Trace } from './identity-trace.ts';

export interface SessionSourceOptions {
  readonly cookieName: string;
  readonly verify: (token: string, carriedBy: 'cookie' | 'bearer') => MaybePromise<SessionVerdict>;
  readonly trace?: Trace<SessionTrace> | undefined;
}

/** Browsers send as many cookies of one name as there are paths; more only cost signature checks. */
const MOST_COOKIES = 8;

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
      const cookies = cookieValues(request, options.cookieName);
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

/** The first few values, each once, in the order received. An empty one is what a logout leaves behind: no credential. */
function cookieValues(request: RequestFacts, name: string): readonly string[] {
  const values: string[] = [];
  for (const line of headerLines(request, 'cookie')) {
    if (!line.includes(name)) continue;
    for (const pair of line.split(';')) {
      const [cookie, value] = nameAndValue(pair);
      if (cookie === name && value !== '' && !values.includes(value)) values.push(value);
      if (values.length === MOST_COOKIES) return values;
    }
  }
  return values;
}

function nameAndValue(pair: string): readonly [name: string, value: string] {
  const text = pair.trim();
  const cut = text.indexOf('=');
  return cut < 0 ? ['', ''] : [text.slice(0, cut), unquoted(text.slice(cut + 1))];
}

const unquoted = (value: string): string =>
  value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
