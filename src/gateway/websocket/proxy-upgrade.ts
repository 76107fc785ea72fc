/** WebSocket proxying: upgrades are passed on by http-proxy, and after the 101 their frames pass unread; any other answer is ordinary HTTP (SPEC 6). */
import { type ClientRequest, type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import { Agent } from 'node:https';
import { type Duplex, pipeline, type Readable, type Writable } from 'node:stream';
import httpProxy from 'http-proxy';
import type { Upstream } from '../../domain/addresses.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import { codeOf, tlsOptionsFor } from '../../outbound/ask-upstream.ts';
import { upstreamFailure } from '../decision/upstream-failure.ts';
import type { ForwardRules } from '../forward/forwarder.ts';
import { type JudgedRequest, tellHead } from '../forward/judged-request.ts';
import { NOTHING_BEGUN } from '../http1/exchange.ts';
import { HeldBody } from '../narrow/held-body.ts';
import { passError, passRedirect, wayOf } from '../narrow/response-filter.ts';
import { atEndOfTurn, leaveInTurn, STALLED_SECONDS, UNREAD } from '../response/client-socket.ts';
import type { OwnResponse } from '../response/error-responses.ts';
import { byName, type ResponseHead, type ResponseHeadRules, responseHeaders } from '../response/response-headers.ts';

/** An upgrade under way at the upstream. */
type UpgradeExchange = ReturnType<typeof createExchange>;

export type UpgradeProxy = ReturnType<typeof createUpgradeProxy>;

export function createUpgradeProxy(rules: ForwardRules) {
  const proxy = httpProxy.createProxyServer({
    toProxy: true, // the target goes out as judged, not as a URL parser would spell it
    secure: rules.verify,
    connectTimeout: rules.timeoutConnect * 1000,
  });
  proxy.on('error', () => {}); // every call has its own callback; without a listener the library throws

  return (request: IncomingMessage, socket: Duplex, head: Buffer, upstream: Upstream, judged: JudgedRequest): void => {
    request.url = judged.target;
    request.headers = judged.headers;
    const exchange = createExchange(socket, judged);
    // The library calls it within `ws()`, or throws before that: then its listener is left.
    proxy.removeAllListeners('proxyReqWs').once('proxyReqWs', (upstreamRequest) => {
      exchange.upstreamRequest = upstreamRequest;
      joinSwitched(upstreamRequest, socket, exchange, rules.cookieName);
    });
    const onError = (error: Error): void => {
      if (!socket.writable) return; // the client has left, or was refused: that the request broke off is no failure of the NVR
      judged.watch?.onUpstreamError(codeOf(error), error.message);
      exchange.fail(upstreamFailure(error));
    };
    judged.watch?.onAsked();
    try {
      proxy.ws(request, socket, head, { target: toTarget(upstream), ...agentFor(upstream, rules) }, onError);
      if (exchange.upstreamRequest) takeOverResponses(exchange.upstreamRequest, request, exchange, rules);
    } catch {
      exchange.fail('nvr-unreachable'); // the library throws on what it cannot send
    }
  };
}

/** http-proxy passes no server name on, and Node would take it from the client's Host header; an agent's own options win. */
const agentFor = (upstream: Upstream, rules: ForwardRules): { readonly agent?: Agent } =>
  upstream.kind === 'tcp' && upstream.protocol === 'https:' ? { agent: new Agent(tlsOptionsFor(upstream, rules)) } : {};

const STALLED_MS = STALLED_SECONDS * 1000;

/**
 * The library would write any status, and a second head behind the first when a response breaks off. It has listened
 * since `ws()` was called, and nothing can have come in the meantime.
 */
function takeOverResponses(
  upstreamRequest: ClientRequest,
  request: IncomingMessage,
  exchange: UpgradeExchange,
  { cookieName, timeoutResponse, timeoutIdle }: ForwardRules,
): void {
  const { socket } = request;
  upstreamRequest.removeAllListeners('response');
  upstreamRequest.once('response', (response) => passUpgradeResponse(response, request, socket, exchange, cookieName));
  const endInSilence = (): void => void socket.setTimeout(timeoutIdle * 1000);
  socket.on('timeout', () => {
    if (socket.writableLength === 0 || socket.timeout === STALLED_MS) return socket.destroy();
    socket.setTimeout(STALLED_MS); // while the client is full the NVR is not heard, and the silence is not its own
    return socket.once('drain', endInSilence);
  });
  upstreamRequest.once('response', endInSilence);
  upstreamRequest.once('upgrade', (_, nvrSocket) => {
    endOnce(nvrSocket);
    passOn(socket, nvrSocket, endInSilence);
    passOn(nvrSocket, socket, endInSilence);
  });
  const timer = setTimeout(() => {
    upstreamRequest.destroy(Object.assign(new Error('no response in time'), { code: 'ETIMEDOUT' }));
  }, timeoutResponse * 1000);
  const settle = (): void => clearTimeout(timer);
  upstreamRequest.once('response', settle).once('upgrade', settle).once('close', settle);
}

/**
 * Passes on what comes in one turn of the event loop together. Replaces the library's pipe, which ends the other side at once, and
 * takes its dozen listeners away one by one, where thousands of sockets may end in one turn.
 */
export function passOn(from: Readable, to: Writable, onEnd: () => void): void {
  const uncork = (): void => to.uncork();
  from.unpipe(to);
  from.on('data', (bytes: Buffer) => {
    if (!to.writable) return;
    if (to.writableCorked === 0) {
      to.cork();
      atEndOfTurn(uncork);
    }
    if (!to.write(bytes)) from.pause();
  });
  to.on('drain', () => from.resume());
  from.on('end', () =>
    leaveInTurn(() => {
      onEnd();
      if (to.writable) to.end();
    }, to),
  );
  from.resume();
}

/** The library ends again what has ended, and Node makes an error for it, with its stack: a tenth of a second for 5,000 sockets. */
function endOnce(socket: Duplex): void {
  const end = socket.end.bind(socket);
  socket.end = () => (socket.writable ? end() : socket);
}

function createExchange(socket: Duplex, judged: JudgedRequest) {
  const exchange = {
    judged,
    /** Whether the client has been sent the head of a response, or the 101. */
    hasHead: false,
    upstreamRequest: undefined as ClientRequest | undefined,
    /** Answers with a refusal, once; when the head of a response was sent it cuts the connection instead. */
    fail(reason: RefusalReason): void {
      if (exchange.hasHead) socket.destroy();
      else if (socket.writable) judged.onFailure(reason);
    },
  };
  return exchange;
}

const toTarget = (upstream: Upstream) =>
  upstream.kind === 'tcp'
    ? { protocol: upstream.protocol, host: upstream.host, hostname: upstream.host, port: upstream.port }
    : { protocol: 'http:', host: 'localhost', port: 80, socketPath: upstream.path };

/** Milliseconds that a client may take to leave when it has been told the last, and the NVR to end the frame before that. */
const LAST_WORDS_MS = 1_000;

/** What the client still says has no other reader, so that its end would never be noticed. */
function leave(socket: Duplex, lastWords?: string): void {
  socket.resume();
  socket.end(lastWords, () => setTimeout(() => socket.destroy(), LAST_WORDS_MS).unref());
}

/** Must be called before http-proxy adds its own listeners: it changes the upstream's head before that is passed on. */
function joinSwitched(
  upstreamRequest: ClientRequest,
  socket: Duplex,
  exchange: UpgradeExchange,
  cookieName: string,
): void {
  const { watch, onOpen } = exchange.judged;
  socket.on('close', () => upstreamRequest.destroy());
  upstreamRequest.on('upgrade', (response, nvrSocket) => {
    exchange.hasHead = true;
    tellHead(exchange.judged, response.statusCode ?? 101);
    // What a side still sends when the other is gone has no reader, so that its end would never be noticed.
    socket.once('close', () => leaveInTurn(() => nvrSocket.destroy()));
    nvrSocket.once('close', () => socket.destroyed || leave(socket));
    const unread = UNREAD.open(() => {
      watch?.onEndedBy('idle');
      socket.destroy();
    });
    /** What waits for the client, and what was read of the NVR meanwhile. Of less than makes it wait no 'drain' would tell the end. */
    const noteWaiting = (): void => {
      const { writableLength: waits, writableNeedDrain: isFull } = socket;
      unread.holds(isFull ? waits + nvrSocket.readableHighWaterMark : 0);
    };
    nvrSocket.on('pause', noteWaiting);
    socket.on('drain', noteWaiting);
    socket.once('close', unread.end);
    onOpen?.(endableWebSocket(nvrSocket, socket));
    for (const end of ['end', 'close']) {
      nvrSocket.on(end, () => watch?.onEndedBy('backend'));
      socket.on(end, () => watch?.onEndedBy('client'));
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

/** One head on a connection: what breaks behind it cuts the connection, so that a cut response never looks whole. */
function passUpgradeResponse(
  response: IncomingMessage,
  request: IncomingMessage,
  socket: Duplex,
  exchange: UpgradeExchange,
  cookieName: string,
): void {
  const head: ResponseHead = { statusCode: response.statusCode, headers: response.headersDistinct };
  tellHead(exchange.judged, response.statusCode ?? 0);
  response.on('error', () => {});
  const way = wayOf(head, exchange.judged.errorReader);
  if (way.kind === 'failed' || !socket.writable) {
    response.destroy();
    if (way.kind === 'failed') exchange.fail(way.reason);
    return;
  }
  exchange.hasHead = true;
  const out = new ServerResponse(request);
  out.shouldKeepAlive = false; // whatever is pipelined behind the upgrade is never read
  out.sendDate = false;
  out.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
  socket.on('drain', () => out.emit('drain')); // Node's server, which tells it of other responses, has let the socket go
  const rules = { cookieName, isPublic: false, place: exchange.judged.place };
  if (way.kind === 'passed') {
    out.writeHead(response.statusCode ?? 502, responseHeaders(head, rules));
    out.flushHeaders();
    pipeline(response, out, (fault) => {
      if (fault) socket.destroy();
      else leave(socket);
    });
    return;
  }
  out.once('finish', () => leave(socket));
  if (way.kind === 'redirected') {
    response.destroy();
    passRedirect(head, out, rules);
    return;
  }
  const fail = (): void => {
    out.detachSocket(socket as Parameters<ServerResponse['detachSocket']>[0]);
    exchange.hasHead = out.headersSent;
    exchange.fail('nvr-failed');
  };
  const body = new HeldBody({ ...NOTHING_BEGUN, abort: () => void response.destroy() });
  response.on('data', (bytes: Buffer) => body.add(bytes));
  response.on('end', () => body.end()).on('close', () => body.drop());
  void passError({ received: { ...head, body }, response: out, rules }, way.reader).catch(fail);
}

/** Refuses an upgrade in ordinary HTTP and closes: whatever is pipelined behind it is never read. */
export function refuseUpgrade(socket: Duplex, response: OwnResponse, requestId: string): void {
  if (!socket.writable) return;
  const headers = {
    ...response.headers,
    'content-length': String(Buffer.byteLength(response.body)),
    'x-request-id': requestId,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ''}`, ...lines].join('\r\n');
  leave(socket, `${head}\r\n\r\n${response.body}`);
}

/**
 * Prepares the end of a WebSocket whose frames pass unread: with a close frame between two of its frames (RFC 6455 5.2). Call it
 * before the first byte passes. `server` is the side whose frames go to the client.
 */
export function endableWebSocket(server: Duplex, client: Duplex): (code: number) => void {
  const frames = createFrameReader();
  let isEnding = false;

  const finish = (code: number): void => {
    if (!client.destroyed) client.end(closeFrame(code));
    server.destroy();
  };
  // Not `on`: it would start the flow before what passes the bytes on listens, and the first would reach this listener alone.
  server.prependListener('data', (chunk: Buffer) => {
    if (!isEnding) frames.read(chunk);
  });

  return (code) => {
    if (isEnding) return;
    isEnding = true;
    for (const side of [server, client]) side.removeAllListeners('data');
    client.resume(); // without a reader the end of the client's socket would go unnoticed
    setTimeout(() => {
      client.destroy();
      server.destroy();
    }, LAST_WORDS_MS).unref();
    if (frames.isBetween()) return finish(code);
    server.on('data', (chunk: Buffer) => {
      if (frames.isBetween() || client.destroyed) return;
      const end = frames.read(chunk);
      client.write(end === undefined ? chunk : chunk.subarray(0, end));
      if (end !== undefined) finish(code);
    });
    server.resume();
  };
}

const SHORTEST_HEAD = 2;

export function createFrameReader() {
  let head = Buffer.alloc(0);
  let payloadLeft = 0;
  return {
    /** Whether the last frame is whole and no other has begun. */
    isBetween: (): boolean => head.length === 0 && payloadLeft === 0,
    /** Where in the chunk the first frame ends; undefined when none does. */
    read(chunk: Buffer): number | undefined {
      let firstEnd: number | undefined;
      let at = 0;
      while (at < chunk.length) {
        if (payloadLeft === 0 && head.length === 0 && chunk.length - at >= headLength(chunk, at)) {
          payloadLeft = payloadLength(chunk, at); // the usual case: the whole frame head is in this chunk
          at += headLength(chunk, at);
        } else if (payloadLeft === 0) {
          const missing = headLength(head) - head.length;
          head = Buffer.concat([head, chunk.subarray(at, at + missing)]);
          at += missing;
          if (at > chunk.length || head.length < headLength(head)) continue;
          payloadLeft = payloadLength(head);
          head = Buffer.alloc(0);
        } else {
          const taken = Math.min(payloadLeft, chunk.length - at);
          payloadLeft -= taken;
          at += taken;
        }
        if (payloadLeft === 0) firstEnd ??= at;
      }
      return firstEnd;
    },
  };
}

/** Bytes of the frame head that begins at `at`, as far as the bytes at hand tell: at least two. */
function headLength(bytes: Buffer, at = 0): number {
  if (bytes.length - at < SHORTEST_HEAD) return SHORTEST_HEAD;
  const second = bytes.readUInt8(at + 1);
  const mask = (second & 0x80) === 0 ? 0 : 4;
  return SHORTEST_HEAD + (LENGTH_BYTES.get(second & 0x7f) ?? 0) + mask;
}

/** Length codes 126 and 127: the length follows in so many bytes. */
const LENGTH_BYTES: ReadonlyMap<number, number> = new Map([
  [126, 2],
  [127, 8],
]);

function payloadLength(bytes: Buffer, at = 0): number {
  const short = bytes.readUInt8(at + 1) & 0x7f;
  if (short === 126) return bytes.readUInt16BE(at + 2);
  return short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short;
}

/** A close frame without a mask: only clients mask their frames. */
const closeFrame = (code: number): Buffer => Buffer.from([0x88, 0x02, code >> 8, code & 0xff]);
