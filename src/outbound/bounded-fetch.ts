/** Asks servers that the configuration names, and no NVR: one answer of bounded size and time, no redirect, an authority of one's own. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';

export interface FetchBounds {
  /** The time for the whole answer. */
  readonly seconds: number;
  /** The size of its body. 0: the body is not read. */
  readonly bytes: number;
  /** Gives the authorities to trust, as PEM. Undefined: those of the system. It is asked each time, so that a new file holds at once. */
  readonly ca?: (() => Promise<string>) | undefined;
}

/** The part of the Fetch standard's request that is used here. */
export interface FetchRequest {
  readonly method?: string;
  readonly headers?: Headers | Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null;
}

/** Rejects with a `FetchFault`. A redirect is an answer like any other: it is not followed. */
export type BoundedFetch = (url: string, request?: FetchRequest) => Promise<Response>;

/** The message names the cause, and neither address nor secret. */
export class FetchFault extends Error {
  override readonly name = 'FetchFault';
}

const WITHOUT_BODY: readonly number[] = [204, 205, 304];

export const createBoundedFetch =
  ({ seconds, bytes, ca }: FetchBounds): BoundedFetch =>
  async (url, { method = 'GET', headers = {}, body, signal } = {}) => {
    const timeLimit = AbortSignal.timeout(seconds * 1000);
    const ended = signal ? AbortSignal.any([timeLimit, signal]) : timeLimit;
    try {
      const authority = await ca?.();
      const options = { method, headers: headerLines(headers), signal: ended };
      const response = await sent(
        url,
        authority === undefined ? options : { ...options, ca: authority },
        bodyText(body),
      );
      const content = await readContent(response, bytes);
      const { statusCode: status = 502, headersDistinct } = response;
      const lines = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      );
      return new Response(WITHOUT_BODY.includes(status) ? null : content, { status, headers: lines });
    } catch (fault) {
      if (fault instanceof FetchFault) throw fault;
      throw new FetchFault(timeLimit.aborted ? `no answer within ${seconds} s` : describeFault(fault), {
        cause: fault,
      });
    }
  };

const headerLines = (headers: NonNullable<FetchRequest['headers']>): Record<string, string> =>
  headers instanceof Headers ? Object.fromEntries(headers) : { ...headers };

/** Only text is sent from here: forms and JSON. */
const bodyText = (body: unknown): string | undefined =>
  body === undefined || body === null ? undefined : String(body);

const sent = (url: string, options: RequestOptions, body: string | undefined): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? httpsRequest : httpRequest;
    // A connection of its own for each question: they are rare, and one that was kept may be dead.
    const request = send(url, { ...options, agent: false });
    request.once('response', resolve).once('error', reject);
    request.end(body);
  });

async function readContent(response: IncomingMessage, most: number): Promise<Buffer<ArrayBuffer>> {
  if (most === 0) {
    response.destroy();
    return Buffer.alloc(0);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) throw new FetchFault(`an answer of more than ${most} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function describeFault(fault: unknown): string {
  const code: unknown = Object(fault).code;
  return typeof code === 'string' ? code : 'the connection failed';
}
