/** Who a session token says is calling: `Authorization: Bearer`, else the session cookie (interface 5.1, SPEC 3). */

import { allMaybe, type MaybePromise, mapMaybe } from '../domain/async/maybe-promise.ts';
import type { Caller } from '../domain/caller.ts';
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

/** The scheme is case-insensitive (RFC 9110 11.1); the rest of the line is the token, good or not. */
const BEARER = /^bearer(?<token>$|[\s,].*)/is;
/** RFC 6750 section 2.1. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

const SILENT: IdentityVerdict = { kind: 'silent' };
const REFUSED: IdentityVerdict = { kind: 'refused', reason: 'token-invalid' };

/** A bad bearer token is refused even beside a good cookie; other schemes (`Basic`) are not this source's to judge. */
export function createSessionSource(options: SessionSourceOptions): IdentitySource {
  return {
    name: 'session',
    identify: (request) => {
      const bearers = bearerTokens(request);
      if (bearers.length > 0) return firstValid(request, bearers.length === 1 ? bearers : [], 'bearer', options);
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

const NO_TOKENS: readonly string[] = [];

function bearerTokens(request: RequestFacts): readonly string[] {
  const lines = headerLines(request, 'authorization');
  if (lines.length === 0) return NO_TOKENS;
  return lines.flatMap((line) => {
    const match = BEARER.exec(line.trim());
    return match ? [match.groups?.['token']?.trim() ?? ''] : [];
  });
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
