/** What of an upstream's answer may reach the client: framing is ours, identity and other hops' headers stay behind. */
import { decidedByName, normalizedHeaderName } from '../domain/header-names.ts';

/**
 * RFC 9110 7.6.1; `Trailer` because trailers are announced by their presence alone. `Strict-Transport-Security` and
 * `Alt-Svc` speak for the host and port that the client sees, which are not the NVR's.
 */
// biome-ignore format: a table
const ENDS_HERE: ReadonlySet<string> = new Set([
  'connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'te', 'trailer', 'transfer-encoding', 'upgrade',
  'http2-settings', 'strict-transport-security', 'alt-svc', 'x-proxy-secret',
]);
const CLAIMS: readonly string[] = ['remote-', 'x-accel-'];

export interface AnswerRules {
  /** The session cookie's name: the NVR may not overwrite ours. */
  readonly cookieName: string;
  /** An answer that is the same for everybody may be cached by everybody. */
  readonly isPublic: boolean;
  /** What the gate says itself, by lower-case name; a cookie beside those of the answer. */
  readonly added?: Readonly<Record<string, string>> | undefined;
}

/** As much of an answer as is judged: Node's own, or what another client received. Names and values stand in turn. */
export interface AnswerHead {
  readonly statusCode?: number | undefined;
  readonly rawHeaders: readonly string[];
}

/** Whether the answer's head can be passed on: a real status, and one way to tell where its body ends. */
export function isPlainAnswer(answer: AnswerHead): boolean {
  const status = answer.statusCode ?? 0;
  const encodings = headerValues(answer, 'transfer-encoding');
  const isFramedOnce =
    encodings.length === 0 ||
    (encodings.length === 1 &&
      encodings[0]?.toLowerCase() === 'chunked' &&
      headerValues(answer, 'content-length').length === 0);
  return status >= 200 && status <= 599 && isFramedOnce;
}

export const hasLength = (answer: AnswerHead): boolean => headerValues(answer, 'content-length').length > 0;

/** Every line of a header; `name` is lower-case. */
export function headerValues({ rawHeaders }: AnswerHead, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const received = rawHeaders[at];
    if (received?.length === name.length && received.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? '');
  }
  return values;
}

/** By lower-case name: one value, or every line of those that came in several. */
export type PassedHeaders = Record<string, string | string[]>;

/** The headers to pass on. */
export function answerHeaders(answer: AnswerHead, rules: AnswerRules): PassedHeaders {
  const passed: PassedHeaders = Object.create(null); // a header may be called `__proto__`
  const named = namedByConnection(answer);
  for (let at = 0; at < answer.rawHeaders.length; at += 2) {
    const name = (answer.rawHeaders[at] ?? '').toLowerCase();
    const value = answer.rawHeaders[at + 1] ?? '';
    if (endsHere(name, named) || isOwnCookie(name, value, rules.cookieName)) continue;
    const before = passed[name];
    passed[name] = before === undefined ? value : [before, value].flat();
  }
  if (!rules.isPublic) passed['cache-control'] = privateAtMost(passed['cache-control']);
  return rules.added ? withAdded(passed, rules.added) : passed;
}

function withAdded(passed: PassedHeaders, added: Readonly<Record<string, string>>): PassedHeaders {
  const cookies = passed['set-cookie'];
  const isMore = cookies !== undefined && added['set-cookie'] !== undefined;
  Object.assign(passed, added);
  if (isMore) passed['set-cookie'] = [added['set-cookie'] ?? [], cookies].flat();
  return passed;
}

/** Trailers that may be passed on. */
export function passedTrailers(trailers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const entries = Object.entries(trailers).filter(([name]) => !endsHere(name.toLowerCase(), NOTHING_NAMED));
  return Object.fromEntries(entries.map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));
}

const NOTHING_NAMED: ReadonlySet<string> = new Set();

function namedByConnection(answer: AnswerHead): ReadonlySet<string> {
  const lines = headerValues(answer, 'connection');
  if (lines.length === 0 || (lines.length === 1 && lines[0] === 'keep-alive')) return NOTHING_NAMED;
  return new Set(lines.flatMap((value) => value.split(',').map((name) => name.trim().toLowerCase())));
}

const endsHere = (name: string, named: ReadonlySet<string>): boolean => isOfThisHop(name) || named.has(name);

const isOfThisHop = decidedByName((name) => {
  const normalized = normalizedHeaderName(name);
  return ENDS_HERE.has(normalized) || CLAIMS.some((family) => normalized.startsWith(family));
});

const isOwnCookie = (name: string, value: string, cookieName: string): boolean =>
  name === 'set-cookie' && value.split('=', 1)[0]?.trim() === cookieName;

/** A shared cache must not hand one role's answer to another (SPEC 6). */
function privateAtMost(cacheControl: string | string[] | undefined): string {
  if (cacheControl === undefined) return 'private';
  const kept = [cacheControl]
    .flat()
    .join(',')
    .split(',')
    .map((directive) => directive.trim())
    .filter((directive) => directive !== '' && !/^(public|s-maxage=.*|private)$/i.test(directive));
  return kept.some((directive) => directive.toLowerCase() === 'no-store')
    ? kept.join(', ')
    : ['private', ...kept].join(', ');
}
