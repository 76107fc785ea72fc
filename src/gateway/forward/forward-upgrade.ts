/** WebSocket upgrades: passed on by http-proxy, and after them two sockets that live and die together (SPEC 6). */
import type { IncomingMessage } from 'node:http';
import { Agent } from 'node:https';
import type { Duplex } from 'node:stream';
import httpProxy from 'http-proxy';
import type { Upstream } from '../../domain/socket-address.ts';
import type { ForwardRules, JudgedRequest } from './forwarder.ts';
import { codeOf, type Exchange, failureOf, watchUpstream } from './upgrade-exchange.ts';
import { tlsOptionsFor } from './upstream-tls.ts';
import { guardUpgrade } from './websocket.ts';

export type ForwardUpgrade = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  upstream: Upstream,
  judged: JudgedRequest,
) => void;

export function createUpgradeForwarder(rules: ForwardRules): ForwardUpgrade {
  const proxy = httpProxy.createProxyServer({
    toProxy: true, // the target goes out as judged, not as a URL parser would spell it
    secure: rules.verify,
    connectTimeout: rules.timeoutConnect * 1000,
  });
  const exchanges = new WeakMap<IncomingMessage, Exchange>();

  proxy.on('error', () => {}); // every call has its own callback; without a listener the library throws
  proxy.on('proxyReqWs', (upstreamRequest, request, socket) => {
    const exchange = exchanges.get(request);
    if (!exchange) return;
    watchUpstream(upstreamRequest, exchange, rules.timeoutResponse);
    guardUpgrade(upstreamRequest, socket, { cookieName: rules.cookieName, ...exchange.judged });
  });

  return (request, socket, head, upstream, judged) => {
    request.url = judged.target;
    request.headers = judged.headers;
    const exchange: Exchange = { judged, fail: once(judged.onFailure), hasTimedOut: false };
    exchanges.set(request, exchange);
    const onError = (error: Error): void => {
      judged.watch?.onUpstreamError(codeOf(error));
      exchange.fail(failureOf(error, exchange));
    };
    judged.watch?.onAsked();
    try {
      proxy.ws(request, socket, head, { target: targetOf(upstream), ...agentFor(upstream, rules) }, onError);
    } catch {
      exchange.fail('nvr-unreachable'); // the library throws on what it cannot send
    }
  };
}

/** The library passes no server name on, and Node would take it from the client's Host header; an agent's own options win. */
const agentFor = (upstream: Upstream, rules: ForwardRules) =>
  upstream.kind === 'tcp' && upstream.protocol === 'https:' ? { agent: new Agent(tlsOptionsFor(upstream, rules)) } : {};

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
