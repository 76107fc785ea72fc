/**
 * Responses on the way to a reader who is not told everything, read whole within bounds: narrowed responses (SPEC 5, 6); and
 * the NVR's refusals, failures and redirects for all but admins, of which a harmless sentence or target is left (SPEC 5).
 */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { authorize } from '../../access/authorize.ts';
import { type CameraView, createCameraView, namesForeignCamera } from '../../access/camera-view.ts';
import { isPublic } from '../../access/route-table.ts';
import { withoutSecretsInText } from '../../access/without-secrets.ts';
import { targetAt } from '../../domain/addresses.ts';
import type { Hold } from '../../domain/async.ts';
import type { Caller } from '../../domain/caller.ts';
import { parsedJson } from '../../domain/json.ts';
import { type RefusalReason, refusalBody } from '../../domain/refusal.ts';
import { err, ok } from '../../domain/result.ts';
import type { Admitted, Rules } from '../decision/admit.ts';
import type { Destination } from '../decision/destinations.ts';
import { parseTarget } from '../decision/strict-target.ts';
import { endWith } from '../response/client-socket.ts';
import { makePlace, ownAddress, type PublicPlace } from '../response/public-place.ts';
import {
  headerValues,
  type ResponseHead,
  type ResponseHeadRules,
  responseFault,
  responseHeaders,
  withoutHeaders,
} from '../response/response-headers.ts';
import { type HeldBody, LARGEST_HELD, type TakeTurn } from './held-body.ts';
import type { NarrowedBytes } from './narrow-task.ts';

export interface NarrowingPlan {
  /** Narrows the bytes of a 200 response, which it may keep. `place`: where clients see the server that has sent them. */
  readonly body: (body: Uint8Array<ArrayBuffer>, place: PublicPlace | undefined) => Promise<NarrowedBytes>;
  readonly reader: ErrorReader;
  /** Whether a 404 would tell an id that does not exist from one that the reader may not see. */
  readonly hidesUnknown: boolean;
  /** The memory for the response, until what is left of it is on its way to the client. */
  readonly hold: Hold;
  readonly turn: TakeTurn;
  /** A response with this header is not passed on. Lower-case. */
  readonly refusedHeader?: string;
  /** JSON sent in the place of a 404, which would tell that no camera has anything. */
  readonly empty?: string;
}

/** Request headers that ask for a part, a compressed or a cached response: the whole one is needed. */
// biome-ignore format: a table
const NOT_ASKED: readonly string[] = [
  'accept-encoding', 'range', 'if-range', 'if-none-match', 'if-modified-since', 'if-match', 'if-unmodified-since',
];

/** The request's headers, changed to ask for the whole response, uncompressed. */
export const askingForWhole = (headers: IncomingHttpHeaders): IncomingHttpHeaders => ({
  ...Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_ASKED.includes(name))),
  'accept-encoding': 'identity',
});

/** Sends what is left of the NVR's response, or fails. What the client has not read yet is counted elsewhere than in `hold`. */
export async function passNarrowed(
  { received, response, rules, fail }: HeldResponse,
  { body: narrow, reader, hidesUnknown, hold, refusedHeader, empty }: NarrowingPlan,
): Promise<void> {
  if (refusedHeader !== undefined && headerValues(received, refusedHeader).length > 0) return fail('name-not-unique');
  const isNone = received.statusCode === 404 && empty !== undefined;
  const status = isNone ? 200 : (received.statusCode ?? 502);
  const [encoding = 'identity'] = headerValues(received, 'content-encoding');
  const body = encoding === 'identity' && status !== 206 ? await readWhole(received.body, hold) : UNREADABLE;
  if (response.headersSent || response.destroyed) return;
  if (!body.ok) return fail(body.error);
  const isGiven = status === 200;
  const isStrict = reader.clearance === 'restricted';
  const isOurs = !isGiven && (isStrict || !readsErrorText(reader, status));
  const bytes = isNone ? Buffer.from(empty) : body.value;
  if (status === 404 && hidesUnknown) return fail('camera-not-in-role');
  const narrowed = isGiven ? await narrow(bytes, rules.place) : isOurs ? refusalLeft(status, bytes, reader) : ok(bytes);
  if (response.headersSent || response.destroyed) return;
  if (!narrowed.ok) return fail(status >= 500 ? 'nvr-failed' : narrowed.error);
  const said = headersBesideBody(received, { ...rules, isPublic: false });
  const passed = isOurs ? withoutHeaders(said, ['content-type', 'location']) : said;
  if (isOurs) passed.push('content-type', 'application/json');
  passed.push('content-length', String(narrowed.value.byteLength));
  response.writeHead(status, passed);
  endWith(response, narrowed.value);
}

/** What is compressed, a part, too large, or cut. */
const UNREADABLE = err('nvr-bad-answer' as const);

const readWhole = (body: HeldBody, hold: Hold) =>
  body.read((added, sum) => {
    if (sum > LARGEST_HELD) return 'nvr-bad-answer';
    return hold.take(added) ? undefined : 'answers-too-large';
  });

export type ErrorReader = ReturnType<typeof createErrorReader>;

export interface ResponseReader extends ErrorReader {
  /** Why a redirect is not passed on: its target is not for the reader. */
  readonly redirectFault: (location: string) => RefusalReason | undefined;
}

/** A program's own words may name addresses and passwords of cameras. */
const readsErrorText = ({ clearance }: ErrorReader, status: number): boolean => clearance === 'admin' || status < 400;

/** The headers of the NVR beside another body than its own: others may describe that body, or name cameras. */
// biome-ignore format: a table
const KEPT: ReadonlySet<string> = new Set([
  'content-type', 'content-language', 'cache-control', 'expires', 'pragma', 'date', 'vary', 'retry-after', 'location', 'set-cookie',
  'www-authenticate', 'content-security-policy', 'referrer-policy', 'cross-origin-resource-policy',
]);

const isKept = (name: string): boolean => KEPT.has(name) || name.startsWith('access-control-');

/** The head of a response whose body is another one. */
const headersBesideBody = (head: ResponseHead, rules: ResponseHeadRules): string[] =>
  responseHeaders(
    { ...head, headers: Object.fromEntries(Object.entries(head.headers).filter(([name]) => isKept(name))) },
    rules,
  );

/** A response that is written when its body was looked at. */
export interface HeldResponse {
  readonly received: ResponseHead & { readonly body: HeldBody };
  readonly response: ServerResponse;
  readonly rules: ResponseHeadRules;
  readonly fail: (reason: RefusalReason) => void;
}

/** Sends the status of the NVR with its sentence, or with one of ours. */
export async function passError(
  { received, response, rules }: Omit<HeldResponse, 'fail'>,
  reader: ResponseReader,
): Promise<void> {
  const status = received.statusCode ?? 502;
  const found = refusalLeft(status, await readBeginning(received.body), reader);
  if (response.headersSent || response.destroyed) return;
  const left = found.ok ? found.value : FAILURE;
  const passed = withoutHeaders(headersBesideBody(received, rules), [
    'content-type',
    ...(leadsToLogin(received, reader) ? [] : ['location']),
  ]);
  passed.push('content-type', 'application/json', 'content-length', String(left.byteLength));
  response.writeHead(status, passed).end(left);
}

/** The front end follows the `Location` of a 401 to a login (interface 5.5.8). */
const leadsToLogin = (head: ResponseHead, { redirectFault }: ResponseReader): boolean =>
  head.statusCode === 401 && headerValues(head, 'location').every((location) => redirectFault(location) === undefined);

/** A failure may be about any camera: a restricted reader gets nothing of it. */
function refusalLeft(status: number, body: Buffer, { clearance, namesForeign }: ErrorReader): NarrowedBytes {
  if (clearance === 'restricted' && (status < 400 || status > 499)) return err('nvr-unexpected-form');
  const json = body.length <= LONGEST_REFUSAL ? parsedJson(body.toString('utf8')) : undefined;
  if (clearance !== 'restricted' && json !== undefined && isHarmlessJson(json))
    return ok(Buffer.from(JSON.stringify(json)));
  const said = sentenceIn(json);
  const message =
    said !== undefined && isHarmless(said) && !namesForeign(said) ? said : 'The NVR refused this request.';
  return ok(Buffer.from(JSON.stringify({ success: false, message })));
}

const FAILURE = Buffer.from(JSON.stringify(refusalBody('nvr-failed')));

const LONGEST_MESSAGE = 300;
/** Bytes that are looked at: a sentence stands in fewer. */
const LONGEST_REFUSAL = 64 * 1024;

/** One line, without an address: what a program said is longer, or names one. */
const isHarmless = (sentence: string): boolean =>
  sentence.length <= LONGEST_MESSAGE && ONE_LINE.test(sentence) && withoutSecretsInText(sentence) === sentence;

const ONE_LINE = /^(?:(?!:\/\/)[^\p{Cc}@])*$/u;

/** A longer body is cut: what is behind is not read. */
async function readBeginning(body: HeldBody): Promise<Buffer> {
  const read = await body.read((_, sum) => (sum > LONGEST_REFUSAL ? 'enough' : undefined));
  return read.ok ? read.value : Buffer.alloc(0);
}

/**
 * Whether all texts of an error's body are harmless, for a reader of all cameras. What is nested deeper than the NVR's own
 * errors is not harmless.
 */
const isHarmlessJson = (json: unknown, depth = 0): boolean => {
  if (typeof json === 'string') return isHarmless(json);
  if (typeof json !== 'object' || json === null) return true;
  return depth < 8 && Object.entries(json).every(([key, value]) => isHarmless(key) && isHarmlessJson(value, depth + 1));
};

function sentenceIn(json: unknown): string | undefined {
  const said =
    typeof json === 'object' && json !== null ? (Reflect.get(json, 'message') ?? Reflect.get(json, 'detail')) : json;
  return typeof said === 'string' ? said : undefined;
}

/** How a response goes on to its reader: not at all, led elsewhere, with a text of ours, or as it is. */
type ResponseWay =
  | { readonly kind: 'failed'; readonly reason: RefusalReason }
  | { readonly kind: 'redirected' }
  | { readonly kind: 'passed' }
  | { readonly kind: 'told'; readonly reader: ResponseReader };

export function wayOf(head: ResponseHead, errorReader: (() => ResponseReader) | undefined): ResponseWay {
  const { statusCode = 502 } = head;
  const fault = responseFault(head);
  if (fault) return { kind: 'failed', reason: fault };
  const reader = statusCode < 300 ? undefined : errorReader?.();
  if (!reader) return PASSED;
  if (!isLed(reader, statusCode)) return readsErrorText(reader, statusCode) ? PASSED : { kind: 'told', reader };
  // Of several lines clients follow the first, or the last: each is judged.
  const reason = headerValues(head, 'location')
    .map(reader.redirectFault)
    .find((found) => found !== undefined);
  return reason ? { kind: 'failed', reason } : { kind: 'redirected' };
}

const PASSED: ResponseWay = { kind: 'passed' };

/** 304 is an answer to a condition. */
const isLed = ({ clearance }: ErrorReader, status: number): boolean =>
  clearance !== 'admin' && status >= 300 && status < 400 && status !== 304;

/** A redirect for others than admins: to a target that is for them, and without a body (SPEC 5). */
export function passRedirect(head: ResponseHead, response: ServerResponse, rules: ResponseHeadRules): void {
  response.writeHead(head.statusCode ?? 302, [...headersBesideBody(head, rules), 'content-length', '0']).end();
}

/** Who reads the text of an error, and follows a redirect: which responses concern a caller who is no admin. */
export const createErrorReader = (view: CameraView) => ({
  clearance: view.clearance,
  /** Whether a text names a camera that the reader does not see. */
  namesForeign: (text: string): boolean => namesForeignCamera(text, view),
});

type ReaderRules = () => Pick<Rules, 'surroundings' | 'routes'>;

/** Undefined where the text passes as it is: Postern's own backend writes for its reader, and a public file is the same for every reader. */
export function errorReaderFor(
  admission: Admitted,
  destination: Destination,
  rules: ReaderRules,
): (() => ResponseReader) | undefined {
  const { caller, route } = admission;
  if (!caller || destination.kind === 'events-backend' || isPublic(route)) return undefined;
  return () => {
    const reader = createErrorReader(createCameraView(caller, rules().surroundings()));
    return {
      ...reader,
      redirectFault: (location) => redirectFault(location, reader, caller, admission, destination, rules),
    };
  };
}

/** An address of another server, such as that of a login, cannot be judged: it may name no foreign camera. */
function redirectFault(
  location: string,
  { clearance, namesForeign }: ErrorReader,
  caller: Caller,
  { target, client, route, obligations }: Admitted,
  { upstream }: Destination,
  rules: ReaderRules,
): RefusalReason | undefined {
  if (clearance === 'admin') return undefined;
  const sent = { path: targetAt(upstream, target.path), hosts: [], client };
  const url = ownAddress(location, makePlace(upstream, sent));
  // A reader who sees all cameras may be led to a login at any path (interface 5.5.8).
  if (!url || clearance === 'reader') return namesForeign(location) ? 'camera-not-in-role' : undefined;
  const led = parseTarget(`${upstream.below ?? ''}${url.pathname}${url.search}`);
  if (!led) return 'nvr-unexpected-form';
  const { routes, surroundings } = rules();
  const method = route.kind === 'listed' && route.row.methods.includes('WS') ? 'WS' : 'GET';
  const verdict = authorize(caller, routes.match(method, led.segments), led, surroundings());
  if (verdict.kind === 'refused')
    return verdict.reason === 'camera-not-in-role' ? verdict.reason : 'nvr-unexpected-form';
  const asked = new Set(obligations?.owners?.flatMap(({ ids }) => ids));
  const owners = verdict.kind === 'allowed' ? (verdict.obligations?.owners ?? []) : [];
  return owners.every(({ ids }) => ids.every((id) => asked.has(id))) ? undefined : 'nvr-unexpected-form';
}
