/** What of an upstream's answer may reach the client: framing is ours, identity and other hops' headers stay behind. */
import type { IncomingMessage } from 'node:http';
import { normalizedHeaderName } from '../domain/header-names.ts';

/** RFC 9110 7.6.1; `Trailer` because trailers are announced by their presence alone. */
// biome-ignore format: a table
const ENDS_HERE: ReadonlySet<string> = new Set([
  'connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'te', 'trailer', 'transfer-encoding', 'upgrade',
  'x-proxy-secret',
]);
const CLAIMS: readonly string[] = ['remote-', 'x-accel-'];

export interface AnswerRules {
  /** The session cookie's name: the NVR may not overwrite ours. */
  readonly cookieName: string;
  /** An answer that is the same for everybody may be cached by everybody. */
  readonly isPublic: boolean;
}

/** Whether the answer's head can be passed on: a real status, and one way to tell where its body ends. */
export function isPlainAnswer(answer: IncomingMessage): boolean {
  const status = answer.statusCode ?? 0;
  const encoding = answer.headers['transfer-encoding'];
  const isFramedOnce =
    encoding === undefined || (encoding === 'chunked' && answer.headers['content-length'] === undefined);
  return status >= 200 && status <= 599 && isFramedOnce;
}

/** The headers to pass on, every line of each, in the order received. */
export function answerHeaders(answer: IncomingMessage, rules: AnswerRules): Map<string, string[]> {
  const passed = new Map<string, string[]>();
  const named = namedByConnection(answer);
  for (let at = 0; at < answer.rawHeaders.length; at += 2) {
    const name = (answer.rawHeaders[at] ?? '').toLowerCase();
    const value = answer.rawHeaders[at + 1] ?? '';
    if (endsHere(name, named) || isOwnCookie(name, value, rules.cookieName)) continue;
    passed.set(name, [...(passed.get(name) ?? []), value]);
  }
  if (!rules.isPublic) passed.set('cache-control', [privateAtMost(passed.get('cache-control')?.join(', '))]);
  return passed;
}

/** Trailers that may be passed on. */
export function answerTrailers(answer: IncomingMessage): Record<string, string> {
  const entries = Object.entries(answer.trailers).filter(([name]) => !endsHere(name, new Set()));
  return Object.fromEntries(entries.map(([name, value]) => [name, value ?? '']));
}

const namedByConnection = (answer: IncomingMessage): ReadonlySet<string> =>
  new Set((answer.headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));

function endsHere(name: string, named: ReadonlySet<string>): boolean {
  const normalized = normalizedHeaderName(name);
  return ENDS_HERE.has(normalized) || named.has(name) || CLAIMS.some((family) => normalized.startsWith(family));
}

const isOwnCookie = (name: string, value: string, cookieName: string): boolean =>
  name === 'set-cookie' && value.split('=', 1)[0]?.trim() === cookieName;

/** A shared cache must not hand one role's answer to another (SPEC 6). */
function privateAtMost(cacheControl: string | undefined): string {
  if (cacheControl === undefined) return 'private';
  const kept = cacheControl
    .split(',')
    .map((directive) => directive.trim())
    .filter((directive) => directive !== '' && !/^(public|s-maxage=.*|private)$/i.test(directive));
  return kept.some((directive) => directive.toLowerCase() === 'no-store')
    ? kept.join(', ')
    : ['private', ...kept].join(', ');
}
