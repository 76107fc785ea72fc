/** WebSocket proxying: upgrades are passed on by http-proxy, and after the 101 their frames pass unread (SPEC 6). */
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import httpProxy from 'http-proxy';
import type { Upstream } from '../../domain/addresses.ts';
import { tellHead } from '../decision/gate-watch.ts';
import { codeOf } from '../decision/upstream-failure.ts';
import { pipedAtEndOfTurn } from '../response/end-of-turn.ts';
import { byName, type ResponseHeadRules, responseHeaders } from '../response/response-headers.ts';
import { UNREAD } from '../response/unread.ts';
import { endableWebSocket } from './end-websocket.ts';
import { failureOf, type JudgedUpgrade, limitTime, type UpgradeExchange } from './upgrade-exchange.ts';
import { passUpgradeResponse } from './upgrade-response.ts';

export interface UpgradeRules {
  /** The session cookie's name: the NVR may not overwrite ours. */
  readonly cookieName: string;
  /** Seconds: to connect; to the head of a response. */
  readonly timeoutConnect: number;
  readonly timeoutResponse: number;
  /** Whether the upstream's certificate is checked. */
  readonly verify: boolean;
  /** The agent for an upstream that is reached over TLS. */
  readonly agentFor: (upstream: Upstream) => Agent | undefined;
}

export type UpgradeProxy = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  upstream: Upstream,
  judged: JudgedUpgrade,
) => void;

export function createUpgradeProxy(rules: UpgradeRules): UpgradeProxy {
  const proxy = httpProxy.createProxyServer({
    toProxy: true, // the target goes out as judged, not as a URL parser would spell it
    secure: rules.verify,
    connectTimeout: rules.timeoutConnect * 1000,
  });
  const exchanges = new WeakMap<IncomingMessage, UpgradeExchange>();

  proxy.on('error', () => {}); // every call has its own callback; without a listener the library throws
  proxy.on('proxyReqWs', (upstreamRequest, request, socket) => {
    const exchange = exchanges.get(request);
    if (!exchange) return;
    exchange.upstreamRequest = upstreamRequest;
    joinSwitched(upstreamRequest, socket, exchange, rules.cookieName);
  });

  return (request, socket, head, upstream, judged) => {
    request.url = judged.target;
    request.headers = judged.headers;
    const exchange = exchangeOf(socket, judged);
    exchanges.set(request, exchange);
    const onError = (error: Error): void => {
      if (socket.destroyed) return; // the client has left: that the request broke off is no failure of the NVR
      judged.watch?.onUpstreamError(codeOf(error), error.message);
      exchange.fail(failureOf(error, exchange));
    };
    judged.watch?.onAsked();
    const agent = rules.agentFor(upstream);
    try {
      proxy.ws(request, socket, head, { target: targetOf(upstream), ...(agent && { agent }) }, onError);
      if (exchange.upstreamRequest) takeOverResponses(exchange.upstreamRequest, request, socket, exchange, rules);
    } catch {
      exchange.fail('nvr-unreachable'); // the library throws on what it cannot send
    }
  };
}

/**
 * The library would write any status, and a second head behind the first when a response breaks off. It has listened
 * since `ws()` was called, and nothing can have come in the meantime.
 */
function takeOverResponses(
  upstreamRequest: ClientRequest,
  request: IncomingMessage,
  socket: Duplex,
  exchange: UpgradeExchange,
  { cookieName, timeoutResponse }: UpgradeRules,
): void {
  upstreamRequest.removeAllListeners('response');
  upstreamRequest.once('response', (response) => passUpgradeResponse(response, request, socket, exchange, cookieName));
  limitTime(upstreamRequest, exchange, timeoutResponse);
}

function exchangeOf(socket: Duplex, judged: JudgedUpgrade): UpgradeExchange {
  let hasFailed = false;
  const exchange: UpgradeExchange = {
    judged,
    hasHead: false,
    hasTimedOut: false,
    upstreamRequest: undefined,
    fail(reason) {
      if (hasFailed) return;
      hasFailed = true;
      if (exchange.hasHead) socket.destroy();
      else judged.onFailure(reason);
    },
  };
  return exchange;
}

const targetOf = (upstream: Upstream) =>
  upstream.kind === 'tcp'
    ? { protocol: upstream.protocol, host: upstream.host, hostname: upstream.host, port: upstream.port }
    : { protocol: 'http:', host: 'localhost', port: 80, socketPath: upstream.path };

/** Milliseconds that a client may take to leave when the NVR has left. */
const LAST_WORDS_MS = 1_000;

/** Must be called before http-proxy adds its own listeners: it changes the upstream's head before that is passed on. */
function joinSwitched(
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
