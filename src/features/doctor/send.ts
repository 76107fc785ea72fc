/** One request through the public address, over a connection of its own, as a browser would make it. */
import { type ClientRequest, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';

/** The answer to one probe, or why there was none. */
export type ProbeResponse =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** The headers by lower-case name; lines of one name are a list. */
      readonly headers: Readonly<Record<string, readonly string[]>>;
      readonly body: string;
      /** The port that this end of the connection had. */
      readonly localPort: number;
    }
  /** `code` is Node's, such as `ECONNREFUSED`. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

export interface Probe {
  readonly url: URL;
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: Buffer;
  /** The time for the whole answer. */
  readonly timeoutMs: number;
  /** Aborted: the probe fails at once. */
  readonly signal?: AbortSignal | undefined;
}

const LONGEST_BODY = 256 * 1024;

/** The certificate is judged apart: here it must not stand in the way of what else there is to see. */
export function open({ url, method = 'GET', headers = {}, signal }: Probe): ClientRequest {
  const options = { method, headers, agent: false, ...(signal && { signal }) } as const;
  return url.protocol === 'https:'
    ? httpsRequest(url, { ...options, rejectUnauthorized: false })
    : httpRequest(url, options);
}

/** Never rejects. */
export function send(probe: Probe): Promise<ProbeResponse> {
  return new Promise((resolve) => {
    const request = open(probe);
    const done = (response: ProbeResponse): void => {
      clearTimeout(timer);
      resolve(response);
    };
    const fail = (fault: NodeJS.ErrnoException): void =>
      done({ kind: 'failed', code: fault.code ?? 'UNKNOWN', message: fault.message });
    const timer = setTimeout(() => {
      fail(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' }));
      request.destroy();
    }, probe.timeoutMs);
    request.once('error', fail);
    request.once('response', (response) => {
      const { localPort = 0 } = response.socket;
      void readBody(response).then((body) => done(probeResponse(response, body, localPort)));
    });
    // A WebSocket that was opened is an answer too.
    request.once('upgrade', (response: IncomingMessage, socket: Socket) => {
      const { localPort = 0 } = socket;
      socket.destroy();
      done(probeResponse(response, '', localPort));
    });
    request.end(probe.body);
  });
}

const probeResponse = (response: IncomingMessage, body: string, localPort: number): ProbeResponse => ({
  kind: 'answered',
  status: response.statusCode ?? 0,
  headers: response.headersDistinct as Record<string, readonly string[]>,
  body,
  localPort,
});

/** The body, as much of it as there is; a broken one ends where it broke. */
async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      bytes += chunk.length;
      if (bytes > LONGEST_BODY) break;
      chunks.push(chunk);
    }
  } catch {
    // What came is judged.
  }
  return Buffer.concat(chunks).toString('utf8');
}
