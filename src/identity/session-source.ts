/** Who a session token says is calling: `Authorization: Bearer`, else the session cookie (interface 5.1, SPEC 3). */
import type { Caller } from '../domain/caller.ts';
import { headerLines, type RequestFacts } from '../domain/request.ts';
import type { IdentitySource, IdentityVerdict, SessionVerdict } from '../domain/verdict.ts';
import type { SessionTrace, Trace } from './identity-trace.ts';

export interface SessionSourceOptions {
  readonly cookieName: string;
  readonly verify: (token: string, carriedBy: 'cookie' | 'bearer') => Promise<SessionVerdict>;
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
      const cookies = cookieValues(request, options.cookieName).slice(0, MOST_COOKIES);
      if (cookies.length > 0) return firstValid(request, cookies, 'cookie', options);
      options.trace?.({ source: 'session', carriedBy: undefined, outcomes: [] }, request);
      return SILENT;
    },
  };
}

/** Cookies of two people are nobody's: a neighbour of this site can plant its own in front of the visitor's. */
async function firstValid(
  request: RequestFacts,
  tokens: readonly string[],
  carriedBy: 'cookie' | 'bearer',
  { verify, trace }: SessionSourceOptions,
): Promise<IdentityVerdict> {
  const callers: Caller[] = [];
  const outcomes: SessionTrace['outcomes'][number][] = [];
  for (const token of tokens) {
    const verdict: SessionVerdict = TOKEN.test(token)
      ? await verify(token, carriedBy)
      : { kind: 'invalid', reason: 'malformed' };
    outcomes.push(verdict.kind === 'valid' ? 'valid' : verdict.reason);
    if (verdict.kind === 'valid') callers.push(verdict.caller);
  }
  trace?.({ source: 'session', carriedBy, outcomes }, request);
  const [first] = callers;
  return first && callers.every(({ name }) => name === first.name) ? { kind: 'identified', caller: first } : REFUSED;
}

const bearerTokens = (request: RequestFacts): string[] =>
  headerLines(request, 'authorization').flatMap((line) => {
    const match = BEARER.exec(line.trim());
    return match ? [match.groups?.['token']?.trim() ?? ''] : [];
  });

/** Each value once, in the order received. An empty one is what a logout leaves behind: no credential. */
const cookieValues = (request: RequestFacts, name: string): string[] => [
  ...new Set(
    headerLines(request, 'cookie')
      .flatMap((line) => line.split(';'))
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(`${name}=`))
      .map((pair) => unquoted(pair.slice(name.length + 1)))
      .filter((value) => value !== ''),
  ),
];

const unquoted = (value: string): string => /^"(.*)"$/.exec(value)?.[1] ?? value;
