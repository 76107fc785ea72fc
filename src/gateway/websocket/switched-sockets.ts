/** Two sockets behind a 101: joined as they are, ended with a close frame when rights end, torn down together (SPEC 6). */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { tellHead } from '../decision/gate-watch.ts';
import { pipedAtEndOfTurn } from '../response/end-of-turn.ts';
import { byName, type ResponseHeadRules, responseHeaders } from '../response/response-headers.ts';
import { UNREAD } from '../response/unread.ts';
import { endableWebSocket } from './end-websocket.ts';
import type { UpgradeExchange } from './upgrade-exchange.ts';

/** Milliseconds that a client may take to leave when the NVR has left. */
const LAST_WORDS_MS = 1_000;

/** Must be called before http-proxy adds its own listeners: it changes the upstream's head before that is passed on. */
export function joinSwitched(
  upstreamRequest: ClientRequest,
  socket: Duplex,
  exchange: UpgradeExchange,
  cookieName: string,
): void {
  const { watch, onOpen } = exchange.judged;
  socket.on('error', () => {}); // a client that resets must not take the process with it
  socket.on('close', () => upstreamRequest.destroy());
  upstreamRequest.on('upgrade', (response, nvrSocket) => {
    exchange.hasHead = true;
    tellHead(exchange.judged, response.statusCode ?? 101);
    // What a side still sends when the other is gone has no reader, so that its end would never be noticed.
    socket.once('close', () => nvrSocket.destroy());
    nvrSocket.once('close', () => {
      socket.resume();
      socket.end(() => setTimeout(() => socket.destroy(), LAST_WORDS_MS).unref());
    });
    const unread = UNREAD.open(() => {
      watch?.onEndedBy('idle');
      socket.destroy();
    });
    /** What waits for the client, and what was read of the NVR meanwhile. */
    const noteWaiting = (): void => {
      const { writableLength: waits } = socket;
      unread.holds(waits > 0 ? waits + nvrSocket.readableHighWaterMark : 0);
    };
    nvrSocket.on('pause', noteWaiting);
    socket.on('drain', noteWaiting);
    socket.once('close', unread.end);
    pipedAtEndOfTurn(nvrSocket, socket);
    pipedAtEndOfTurn(socket, nvrSocket);
    onOpen?.(endableWebSocket(nvrSocket, socket));
    for (const end of ['end', 'close']) {
      nvrSocket.once(end, () => watch?.onEndedBy('backend'));
      socket.once(end, () => watch?.onEndedBy('client'));
    }
    cleanHead(response, { cookieName, isPublic: false, place: exchange.judged.place });
  });
}

/** The library writes these headers to the socket as they are. */
function cleanHead(response: IncomingMessage, rules: ResponseHeadRules): void {
  const { statusCode, headersDistinct } = response;
  const { connection, upgrade } = response.headers;
  const passed = responseHeaders({ statusCode, headers: headersDistinct }, rules);
  for (const name of Object.keys(response.headers)) delete response.headers[name];
  Object.assign(response.headers, byName(passed), { connection, upgrade });
}
