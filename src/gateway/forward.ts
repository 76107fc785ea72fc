/** Step 6. Passing a judged request on and its answer back, both as streams (SPEC 6); the only user of http-proxy. */
import { Agent, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { type Duplex, Readable } from 'node:stream';
import httpProxy from 'http-proxy';
import type { RefusalReason } from '../domain/refusal.ts';
import type { Upstream } from '../domain/socket-address.ts';
import {
  type Exchange,
  failureOf,
  isStaleConnection,
  limitUpload,
  passBack,
  refuseUpgrade,
  watchUpstream,
} from './exchange.ts';
import type { Narrowing } from './narrow-exchange.ts';
import { guardUpgrade } from './websocket.ts';

export interface ForwardRules {
  readonly cookieName: string;
  /** Bytes of a request body. */
  readonly maxUpload: number;
  /** Seconds: to connect; to the answer's head; of silence on a stream. */
  readonly timeoutConnect: number;
  readonly timeoutResponse: number;
  readonly timeoutIdle: number;
  /** TLS towards the upstream: PEM of an own authority, and whether certificates are checked. */
  readonly ca: string | undefined;
  readonly verify: boolean;
}

/** A request as it was judged: exactly this is sent. */
export interface JudgedRequest {
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** The same answer for everybody. */
  readonly isPublic: boolean;
  /** Sent in the place of the request's own body, which has been read. */
  readonly body?: Buffer;
  /** What must become of the answer. */
  readonly narrowing?: Narrowing;
  /** Called at most once, and only while nothing of an answer has been sent. */
  readonly onFailure: (reason: RefusalReason) => void;
}

export interface Forwarder {
  web(request: IncomingMessage, response: ServerResponse, upstream: Upstream, judged: JudgedRequest): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, upstream: Upstream, judged: JudgedRequest): void;
  close(): void;
}

export function createForwarder(rules: ForwardRules): Forwarder {
  const proxy = httpProxy.createProxyServer({
    toProxy: true, // the target goes out as judged, not as a URL parser would spell it
    selfHandleResponse: true,
    secure: rules.verify,
    ...(rules.ca === undefined ? {} : { ca: rules.ca }),
    connectTimeout: rules.timeoutConnect * 1000,
    proxyTimeout: rules.timeoutIdle * 1000,
  });
  dropPass(proxy, 'deleteLength');
  const agents = { http: new Agent({ keepAlive: true }), https: new TlsAgent({ keepAlive: true, ca: rules.ca }) };
  const exchanges = new WeakMap<IncomingMessage, Exchange>();

  proxy.on('error', () => {}); // every call has its own callback; without a listener the library throws
  proxy.on('proxyReq', (upstreamRequest, request) => {
    const exchange = exchanges.get(request);
    if (!exchange) return;
    watchUpstream(upstreamRequest, exchange, rules.timeoutResponse);
    refuseUpgrade(upstreamRequest, exchange);
  });
  proxy.on('proxyRes', (answer, request, response) => {
    const exchange = exchanges.get(request);
    if (exchange) passBack(answer, request, response, exchange, rules.cookieName);
  });
  proxy.on('proxyReqWs', (upstreamRequest, request, socket) => {
    const exchange = exchanges.get(request);
    if (!exchange) return;
    watchUpstream(upstreamRequest, exchange, rules.timeoutResponse);
    guardUpgrade(upstreamRequest, socket, rules.cookieName);
  });

  const begin = (request: IncomingMessage, judged: JudgedRequest, fail: Exchange['fail']): Exchange => {
    request.url = judged.target;
    request.headers = judged.headers;
    const exchange: Exchange = { judged, fail, upstreamRequest: undefined, hasTimedOut: false };
    exchanges.set(request, exchange);
    return exchange;
  };

  return {
    web(request, response, upstream, judged) {
      if (hasLeft(request.socket)) return;
      const exchange = begin(
        request,
        judged,
        once((reason) => {
          if (response.headersSent) response.destroy();
          else if (!response.destroyed) judged.onFailure(reason);
        }),
      );
      if (!limitUpload(request, exchange, rules.maxUpload)) return;
      const send = (agent: Agent | TlsAgent): void =>
        proxy.web(request, response, { target: targetOf(upstream), agent, ...bodyOf(judged) }, (error) => {
          if (isStaleConnection(error, request, exchange, response)) send(new (isTls(upstream) ? TlsAgent : Agent)());
          else exchange.fail(failureOf(error, exchange));
        });
      attempt(exchange, () => send(isTls(upstream) ? agents.https : agents.http));
    },
    upgrade(request, socket, head, upstream, judged) {
      if (hasLeft(socket)) return;
      const exchange = begin(request, judged, once(judged.onFailure));
      attempt(exchange, () =>
        proxy.ws(request, socket as never, head, { target: targetOf(upstream) }, (error) =>
          exchange.fail(failureOf(error, exchange)),
        ),
      );
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** The pass that turns a chunked DELETE into one without a length, while its body is still sent (CVE-2026-29057). */
function dropPass(proxy: object, name: string): void {
  const passes: unknown = Reflect.get(proxy, 'webPasses');
  const at = Array.isArray(passes) ? passes.findIndex((pass) => pass.name === name) : -1;
  if (!Array.isArray(passes) || at < 0)
    throw new Error(`http-proxy has no pass "${name}" any more: look at its framing again`);
  passes.splice(at, 1);
}

/** A client that was gone before its request was judged will not close again: nobody would end the upstream's. */
const hasLeft = (socket: Duplex): boolean => socket.destroyed;

/** The library throws on what it cannot send; a request must not take the process with it. */
function attempt(exchange: Exchange, send: () => void): void {
  try {
    send();
  } catch {
    exchange.fail('nvr-unreachable');
  }
}

const bodyOf = ({ body }: JudgedRequest) => (body ? { buffer: Readable.from([body], { objectMode: false }) } : {});

const isTls = (upstream: Upstream): boolean => upstream.kind === 'tcp' && upstream.protocol === 'https:';

const targetOf = (upstream: Upstream) =>
  upstream.kind === 'tcp'
    ? { protocol: upstream.protocol, host: upstream.host, hostname: upstream.host, port: upstream.port }
    : { protocol: 'http:', host: 'localhost', port: 80, socketPath: upstream.path };

function once<Argument>(act: (argument: Argument) => void): (argument: Argument) => void {
  let isDone = false;
  return (argument) => {
    if (isDone) return;
    isDone = true;
    act(argument);
  };
}
