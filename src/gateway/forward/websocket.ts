/** What an upgrade needs that a plain request does not: raw answers, and both sockets torn down together (SPEC 6). */
import { type ClientRequest, type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { UpstreamWatch } from '../decision/gate-watch.ts';
import { pipedAtEndOfTurn } from '../response/end-of-turn.ts';
import type { Answer } from '../response/refuse.ts';
import { answerHeaders, byName } from '../response/response-headers.ts';
import { endableWebSocket } from '../websocket/end-websocket.ts';

export interface UpgradeGuard {
  readonly cookieName: string;
  readonly watch?: UpstreamWatch | undefined;
  /** Told how to end the socket with a close code, once it is open. */
  readonly onOpen?: ((end: (code: number) => void) => void) | undefined;
}

/** Must be called before http-proxy adds its own listeners: it changes what the upstream said before it is passed on. */
export function guardUpgrade(
  upstreamRequest: ClientRequest,
  socket: Duplex,
  { cookieName, watch, onOpen }: UpgradeGuard,
): void {
  socket.on('error', () => {}); // a client that resets must not take the process with it
  socket.on('close', () => upstreamRequest.destroy());
  upstreamRequest.on('upgrade', (answer, nvrSocket) => {
    watch?.onHead(answer.statusCode ?? 101);
    // What a side still sends when the other is gone has no reader, so that its end would never be noticed.
    socket.once('close', () => nvrSocket.destroy());
    nvrSocket.once('close', () => {
      socket.resume();
      socket.end(() => setTimeout(() => socket.destroy(), LAST_WORDS_MS).unref());
    });
    pipedAtEndOfTurn(nvrSocket, socket);
    pipedAtEndOfTurn(socket, nvrSocket);
    onOpen?.(endableWebSocket(nvrSocket, socket));
    for (const end of ['end', 'close']) {
      nvrSocket.once(end, () => watch?.onEndedBy('backend'));
      socket.once(end, () => watch?.onEndedBy('client'));
    }
    const { connection, upgrade } = answer.headers;
    cleanHead(answer, cookieName);
    Object.assign(answer.headers, { connection, upgrade });
  });
  upstreamRequest.on('response', (answer) => {
    watch?.onHead(answer.statusCode ?? 0);
    cleanHead(answer, cookieName);
    answer.headers.connection = 'close';
    answer.statusMessage = STATUS_CODES[answer.statusCode ?? 0] ?? '';
    answer.on('error', () => {});
    answer.once('close', () => {
      if (!answer.complete) socket.destroy();
    });
  });
}

/** So long a client that has been told the NVR's last words may take to go. */
const LAST_WORDS_MS = 1_000;

/** The library writes these headers to the socket as they are. */
function cleanHead(answer: IncomingMessage, cookieName: string): void {
  const { statusCode, headersDistinct: headers } = answer;
  const passed = answerHeaders({ statusCode, headers }, { cookieName, isPublic: false });
  for (const name of Object.keys(answer.headers)) delete answer.headers[name];
  Object.assign(answer.headers, byName(passed));
}

/** Answers an upgrade in ordinary HTTP and closes: whatever is pipelined behind it is never read. */
export function answerUpgrade(socket: Duplex, answer: Answer, requestId: string): void {
  if (socket.destroyed) return;
  const headers = {
    ...answer.headers,
    'content-length': String(Buffer.byteLength(answer.body)),
    'x-request-id': requestId,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}`, ...lines].join('\r\n');
  socket.end(`${head}\r\n\r\n${answer.body}`);
}
