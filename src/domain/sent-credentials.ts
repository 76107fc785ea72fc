/** Credentials as requests carry them: cookies, and the lines of `Authorization` that are ours. A proxy in front adds its own: those are no credential here (SPEC 3). Pure. */
import { isRecord, parsedJson } from './json.ts';
import { headerLines, type RequestFacts } from './request.ts';

/** `token` as it stands in the line: good, bad, or with more beside it, which makes it bad. */
export type OwnCredential =
  | { readonly kind: 'api-token'; readonly token: string; readonly carriedBy: 'bearer' | 'basic' }
  | { readonly kind: 'session'; readonly token: string; readonly carriedBy: 'bearer' };

const NONE: readonly OwnCredential[] = [];

export function ownCredentials(request: Pick<RequestFacts, 'headers' | 'rawHeaders'>): readonly OwnCredential[] {
  const lines = headerLines(request, 'authorization');
  return lines.length === 0 ? NONE : lines.map(ownCredentialIn).filter((found) => found !== undefined);
}

/** The scheme is case-insensitive (RFC 9110 11.1). Servers differ in how they read a comma behind it. */
const BEARER = /^bearer(?:[\s,]+(?<text>.*))?$/is;
const BASIC = /^basic\s+(?<pair>[A-Za-z0-9+/_-]+=*)$/i;

export const isBearer = (line: string): boolean => BEARER.test(line.trim());

export function ownCredentialIn(line: string): OwnCredential | undefined {
  const bearer = BEARER.exec(line.trim());
  if (bearer) return bearerIn(bearer.groups?.['text'] ?? '');
  const pair = BASIC.exec(line.trim())?.groups?.['pair'];
  if (pair === undefined) return undefined;
  const text = Buffer.from(pair, 'base64').toString('utf8');
  const password = text.slice(text.indexOf(':') + 1);
  return text.includes(':') && isApiToken(password)
    ? { kind: 'api-token', token: password, carriedBy: 'basic' }
    : undefined;
}

function bearerIn(token: string): OwnCredential | undefined {
  const words = token.split(/[\s,]+/);
  if (words.some(isApiToken)) return { kind: 'api-token', token, carriedBy: 'bearer' };
  return words.some(isSessionToken) ? { kind: 'session', token, carriedBy: 'bearer' } : undefined;
}

export const isApiToken = (text: string): boolean => text.startsWith('pst_');

/** Judged by its form alone. Providers sign with keys of their own, so their tokens say another `alg`, or lack the role. */
function isSessionToken(text: string): boolean {
  const [header = '', payload = '', signature] = text.split('.');
  if (signature === undefined || readJwtPart(header)?.['alg'] !== 'HS256') return false;
  const claims = readJwtPart(payload);
  return claims !== undefined && CLAIMS.every((name) => Object.hasOwn(claims, name));
}

const CLAIMS = ['sub', 'role', 'exp'] as const;

function readJwtPart(part: string): Readonly<Record<string, unknown>> | undefined {
  const value = parsedJson(Buffer.from(part, 'base64url').toString('utf8'));
  return isRecord(value) ? value : undefined;
}

/** A browser sends one for each path that it knows; more only cost signature checks. */
const MOST_COOKIES = 8;

/**
 * The first few values of a cookie in the lines of `Cookie`, each once, in the order received. An empty one is what a logout
 * leaves behind: none.
 */
export const cookieValues = (lines: string | readonly string[], name: string): readonly string[] => {
  const values = [lines]
    .flat()
    .filter((line) => line.includes(name))
    .flatMap((line) => line.split(';').map((pair) => pair.trim()))
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1).replace(/^"(.*)"$/, '$1'))
    .filter((value) => value !== '');
  return [...new Set(values)].slice(0, MOST_COOKIES);
};
