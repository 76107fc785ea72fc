/** The response filter on the wire: the NVR's response is read whole, within bounds, filtered and sent (SPEC 5, 6). */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { RefusalReason } from '../../domain/refusal.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import {
  headerValues,
  type ResponseHead,
  type ResponseHeadRules,
  responseHeaders,
  withoutHeaders,
} from '../response/response-headers.ts';
import type { BufferBudget, Hold } from './buffer-budget.ts';
import type { NarrowedBytes } from './narrow-task.ts';

/** Narrows the bytes of a 200 response, which it may keep. */
export type NarrowBody = (body: Uint8Array<ArrayBuffer>) => Promise<NarrowedBytes>;

export interface Narrowing {
  readonly body: NarrowBody;
  /** Whether a text names a camera that the reader does not see. */
  readonly namesForeign: (text: string) => boolean;
  /**
   * Whether the reader sees certain cameras only. Then of the NVR's own refusals nothing but the sentence is passed on, and
   * of its failures nothing at all.
   */
  readonly isStrict: boolean;
  /** Whether a 404 would tell an id that does not exist from one that the reader may not see. */
  readonly hidesUnknown: boolean;
  readonly held: BufferBudget;
  /** A response with this header is not passed on. Lower-case. */
  readonly refusedHeader?: string;
  /** JSON sent in the place of a 404, which would tell that no camera has anything. */
  readonly empty?: string;
}

const LARGEST_RESPONSE = 32 * 1024 * 1024;

/** Request headers that ask for a part, a compressed or a cached response: the whole one is needed. */
// biome-ignore format: a table
const NOT_ASKED: readonly string[] = [
  'accept-encoding', 'range', 'if-range', 'if-none-match', 'if-modified-since', 'if-match', 'if-unmodified-since',
];
// biome-ignore format: a table
const NOT_PASSED: readonly string[] = [
  'content-length', 'content-encoding', 'content-range', 'accept-ranges', 'etag', 'last-modified', 'content-md5', 'digest',
  'content-digest', 'repr-digest',
];

/** The request's headers, changed to ask for the whole response, uncompressed. */
export const askingForWhole = (headers: IncomingHttpHeaders): IncomingHttpHeaders => ({
  ...Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_ASKED.includes(name))),
  'accept-encoding': 'identity',
});

/** Sends what is left of the NVR's response, or fails. */
export async function passNarrowed(
  received: ResponseHead & { readonly body: Readable },
  response: ServerResponse,
  { body: narrow, namesForeign, isStrict, hidesUnknown, held, refusedHeader, empty }: Narrowing,
  rules: Omit<ResponseHeadRules, 'isPublic'>,
  fail: (reason: RefusalReason) => void,
): Promise<void> {
  if (refusedHeader !== undefined && headerValues(received, refusedHeader).length > 0) {
    received.body.destroy();
    return fail('name-not-unique');
  }
  const isNone = received.statusCode === 404 && empty !== undefined;
  const status = isNone ? 200 : (received.statusCode ?? 502);
  const [encoding = 'identity'] = headerValues(received, 'content-encoding');
  const hold = held.hold();
  response.once('close', hold.release);
  const body = encoding === 'identity' && status !== 206 ? await readWhole(received.body, hold) : UNREADABLE;
  if (!body.ok) received.body.destroy();
  if (response.destroyed) hold.release();
  if (response.headersSent || response.destroyed) return;
  if (!body.ok) return fail(body.error);
  const isGiven = status === 200;
  const bytes = isNone ? Buffer.from(empty) : body.value;
  const location = headerValues(received, 'location')[0];
  if (status === 404 && hidesUnknown) return fail('camera-not-in-role');
  if (isStrict && location !== undefined && namesForeign(location)) return fail('camera-not-in-role');
  const isLogin = LOGIN_REDIRECTS.includes(status) && location !== undefined;
  const narrowed = isGiven ? await narrow(bytes) : isLogin ? NO_BODY : refusalLeft(status, bytes, isStrict);
  if (response.destroyed) return;
  if (narrowed.kind === 'foreign') return fail('camera-not-in-role');
  if (narrowed.kind === 'old') return fail('history-too-old');
  if (narrowed.kind === 'unreadable') return fail(status >= 500 ? 'nvr-failed' : 'nvr-unexpected-form');
  const said = responseHeaders(received, { ...rules, isPublic: false });
  const isOurs = !isGiven && isStrict;
  const passed = withoutHeaders(said, isOurs ? [...NOT_PASSED, 'content-type'] : NOT_PASSED);
  if (isOurs) passed.push('content-type', 'application/json');
  passed.push('content-length', String(narrowed.body.byteLength));
  response.writeHead(status, passed).end(narrowed.body);
}

/** What is compressed, a part, too large, or cut. */
const UNREADABLE = err('nvr-bad-answer' as const);

async function readWhole(body: Readable, hold: Hold): Promise<Result<Buffer<ArrayBuffer>, RefusalReason>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > LARGEST_RESPONSE) return UNREADABLE;
      if (!(await hold.take(chunk.length))) return err('answers-too-large');
      chunks.push(chunk);
    }
    return ok(Buffer.concat(chunks));
  } catch {
    return UNREADABLE;
  }
}

/** An NVR behind a proxy of its own says so where to log in, and pages follow it (interface 5.5.8). */
const LOGIN_REDIRECTS: readonly number[] = [302, 307];
const NO_BODY: NarrowedBytes = { kind: 'narrowed', body: new Uint8Array() };

const LONGEST_MESSAGE = 300;
/** Bytes that are looked at: a sentence stands in fewer. */
const LONGEST_REFUSAL = 64 * 1024;

/** Of a refusal the sentence is kept, which pages show to their reader. */
function refusalLeft(status: number, body: Buffer<ArrayBuffer>, isStrict: boolean): NarrowedBytes {
  if (!isStrict) return { kind: 'narrowed', body };
  if (status < 400 || status > 499) return { kind: 'unreadable' };
  const message = messageIn(body.toString('utf8', 0, LONGEST_REFUSAL));
  return { kind: 'narrowed', body: Buffer.from(JSON.stringify({ success: false, message })) };
}

function messageIn(body: string): string {
  const sentence = sentenceIn(body);
  return sentence !== undefined && sentence.length <= LONGEST_MESSAGE ? sentence : 'The NVR refused this request.';
}

function sentenceIn(body: string): string | undefined {
  try {
    const json: unknown = JSON.parse(body);
    const said =
      typeof json === 'object' && json !== null ? (Reflect.get(json, 'message') ?? Reflect.get(json, 'detail')) : json;
    return typeof said === 'string' ? said : undefined;
  } catch {
    return undefined;
  }
}
