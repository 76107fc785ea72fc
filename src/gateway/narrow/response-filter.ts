/** The response filter on the wire: the NVR's response is read whole, within bounds, filtered and sent (SPEC 5, 6). */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Hold } from '../../domain/async.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { endWith } from '../response/client-socket.ts';
import type { PublicPlace } from '../response/public-place.ts';
import { headerValues, type ResponseHeadRules, withoutHeaders } from '../response/response-headers.ts';
import { type ErrorReader, type HeldResponse, headersBesideBody, readsErrorText, refusalLeft } from './error-text.ts';
import type { NarrowedBytes } from './narrow-task.ts';

export interface NarrowingPlan {
  /** Narrows the bytes of a 200 response, which it may keep. */
  readonly body: (body: Uint8Array<ArrayBuffer>) => Promise<NarrowedBytes>;
  readonly reader: ErrorReader;
  /** Whether a 404 would tell an id that does not exist from one that the reader may not see. */
  readonly hidesUnknown: boolean;
  /** The memory for the response, until what is left of it is on its way to the client. */
  readonly hold: Hold;
  /** A response with this header is not passed on. Lower-case. */
  readonly refusedHeader?: string;
  /** Writes the addresses of the server itself as clients see them. */
  readonly addresses?: (body: Uint8Array<ArrayBuffer>, place: PublicPlace) => Promise<NarrowedBytes>;
  /** JSON sent in the place of a 404, which would tell that no camera has anything. */
  readonly empty?: string;
}

const LARGEST_RESPONSE = 32 * 1024 * 1024;

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

/** Sends what is left of the NVR's response, or fails. */
export async function passNarrowed(...held: [...HeldResponse, NarrowingPlan]): Promise<void> {
  try {
    await passLeft(...held);
  } finally {
    held[4].hold.release(); // what the client has not read yet is counted elsewhere
  }
}

async function passLeft(
  ...[received, response, rules, fail, narrowing]: [...HeldResponse, NarrowingPlan]
): Promise<void> {
  const { body: narrow, reader, hidesUnknown, hold, refusedHeader, empty, addresses } = narrowing;
  if (refusedHeader !== undefined && headerValues(received, refusedHeader).length > 0) {
    received.body.destroy();
    return fail('name-not-unique');
  }
  const isNone = received.statusCode === 404 && empty !== undefined;
  const status = isNone ? 200 : (received.statusCode ?? 502);
  const [encoding = 'identity'] = headerValues(received, 'content-encoding');
  const body = encoding === 'identity' && status !== 206 ? await readWhole(received.body, hold) : UNREADABLE;
  if (!body.ok) received.body.destroy();
  if (response.headersSent || response.destroyed) return;
  if (!body.ok) return fail(body.error);
  const isGiven = status === 200;
  const isStrict = reader.clearance === 'restricted';
  const isOurs = !isGiven && (isStrict || !readsErrorText(reader, status));
  const bytes = isNone ? Buffer.from(empty) : body.value;
  if (status === 404 && hidesUnknown) return fail('camera-not-in-role');
  const narrowed = isGiven
    ? await withAddresses(await narrow(bytes), addresses, rules)
    : isOurs
      ? refusalLeft(status, bytes, reader)
      : asItIs(bytes);
  if (response.headersSent || response.destroyed) return;
  if (narrowed.kind === 'foreign') return fail('camera-not-in-role');
  if (narrowed.kind === 'old') return fail('history-too-old');
  if (narrowed.kind === 'unreadable') return fail(status >= 500 ? 'nvr-failed' : 'nvr-unexpected-form');
  const said = headersBesideBody(received, { ...rules, isPublic: false });
  const passed = isOurs ? withoutHeaders(said, ['content-type', 'location']) : said;
  if (isOurs) passed.push('content-type', 'application/json');
  passed.push('content-length', String(narrowed.body.byteLength));
  response.writeHead(status, passed);
  endWith(response, narrowed.body);
}

/** Where the server is seen as it is, its addresses stay. */
async function withAddresses(
  narrowed: NarrowedBytes,
  write: NarrowingPlan['addresses'],
  { place }: ResponseHeadRules,
): Promise<NarrowedBytes> {
  return write && place && narrowed.kind === 'narrowed' ? write(narrowed.body, place) : narrowed;
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
      if (!hold.take(chunk.length)) return err('answers-too-large');
      chunks.push(chunk);
    }
    return ok(Buffer.concat(chunks));
  } catch {
    return UNREADABLE;
  }
}

const asItIs = (body: Uint8Array<ArrayBuffer>): NarrowedBytes => ({ kind: 'narrowed', body });
