/** Asks a gate from within this process: HTTP over a pair of streams, so that no port and no file leads to it. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { duplexPair } from 'node:stream';
import { markLocal } from '../decision/request-facts.ts';
import type { Gate } from '../entry/gate.ts';

export interface InProcessResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The beginning of the body. */
  readonly body: Buffer;
  readonly isWhole: boolean;
}

export interface InProcessRules {
  /** The most bytes of a body that are read; the rest is not taken from the upstream. */
  readonly mostBytes: (head: IncomingMessage) => number;
  /** Ends the request. */
  readonly signal: AbortSignal;
}

/** A GET by this gate. Rejects when the response breaks off, or the signal ends it. */
export async function getInProcess(
  gate: Gate,
  target: string,
  { mostBytes, signal }: InProcessRules,
): Promise<InProcessResponse> {
  signal.throwIfAborted();
  const server = createServer();
  server.on('request', gate.onRequest);
  const [client, served] = duplexPair();
  markLocal(served);
  client.on('error', () => {}); // the request tells of it
  served.on('error', () => {});
  server.emit('connection', served);
  try {
    const head = await new Promise<IncomingMessage>((resolve, reject) => {
      const asked = request({ method: 'GET', path: target, host: OWN_HOST, signal, createConnection: () => client });
      asked.once('response', resolve);
      asked.once('error', reject);
      asked.end();
    });
    const { statusCode: status = 0, headers } = head;
    return { status, headers, ...(await beginningOf(head, mostBytes(head))) };
  } finally {
    client.destroy();
    served.destroy();
  }
}

/** Shown to the NVR as the host that was asked for. */
const OWN_HOST = 'localhost';

async function beginningOf(
  response: IncomingMessage,
  most: number,
): Promise<Pick<InProcessResponse, 'body' | 'isWhole'>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= most) return { body: Buffer.concat(chunks).subarray(0, most), isWhole: false };
  }
  return { body: Buffer.concat(chunks), isWhole: true };
}
