/** Compresses the body of a response for a client that takes it (RFC 9110 8.4, 12.5.3). */
import { pipeline, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import { type BrotliOptions, brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';

/** Bytes. Less fits into one packet anyway. */
const WORTH_IT = 1024;

/** Higher qualities cost many times as much for a few percent. */
const BROTLI: BrotliOptions = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT },
};
const inBrotli = promisify<string | Buffer, BrotliOptions, Buffer>(brotliCompress);
const inGzip = promisify<string | Buffer, Buffer>(gzip);

interface Coder {
  /** Compresses in the thread pool: the event loop goes on. */
  readonly whole: (bytes: string | Buffer) => Promise<Buffer>;
  readonly stream: () => Transform;
}

/** The codings in the order of preference: Brotli is smaller, and browsers weigh both the same. */
const CODERS = {
  br: { whole: (bytes) => inBrotli(bytes, BROTLI), stream: () => createBrotliCompress(BROTLI) },
  gzip: { whole: (bytes) => inGzip(bytes), stream: () => createGzip() },
} as const satisfies Readonly<Record<string, Coder>>;
export type Encoding = keyof typeof CODERS;
const ENCODINGS: readonly Encoding[] = ['br', 'gzip'];

/** The best one that the header names with a weight above 0; `*` names none. */
export function encodingFor(acceptEncoding: string | undefined): Encoding | undefined {
  const weights = new Map((acceptEncoding ?? '').toLowerCase().split(',').map(parseWeight));
  return ENCODINGS.find((encoding) => (weights.get(encoding) ?? 0) > 0);
}

function parseWeight(member: string): [name: string, weight: number] {
  const [name = '', ...parameters] = member.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return [name, weight === undefined ? 1 : Number(weight.slice(2))];
}

/** Undefined when the text is sent as it is: the client does not take another, or it is short. */
export async function compressText(text: string | Buffer, acceptEncoding: string | undefined) {
  const encoding = encodingFor(acceptEncoding);
  if (!encoding || Buffer.byteLength(text) < WORTH_IT) return undefined;
  return { body: await CODERS[encoding].whole(text), encoding };
}

/** What Koa's context has of a response. */
interface Response {
  readonly status: number;
  body: unknown;
  get(requestHeader: string): string;
  set(header: string, value: string): void;
  vary(header: string): void;
}

/** A body of JSON that a route has set: an object, a text, or a stream, which stays one. */
export async function compressResponse(response: Response): Promise<void> {
  const { body, status } = response;
  if (body === null || body === undefined || status !== 200) return;
  response.vary('Accept-Encoding');
  const accepted = response.get('Accept-Encoding');
  if (body instanceof Readable) {
    const encoding = encodingFor(accepted);
    if (!encoding) return;
    response.set('Content-Encoding', encoding);
    // A source that fails ends the response: cut, it must not look whole.
    response.body = pipeline(body, CODERS[encoding].stream(), () => {});
    return;
  }
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const compressed = await compressText(text, accepted);
  if (!compressed) return;
  response.set('Content-Encoding', compressed.encoding);
  response.body = compressed.body;
}
