/** Forwarding: sends an admitted request to its upstream and the response back, both as streams (SPEC 6). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent } from 'node:https';
import { type Upstream, wakeUp } from '../../domain/addresses.ts';
import type { UpstreamWatch } from '../decision/gate-watch.ts';
import { createUpgradeProxy } from '../websocket/proxy-upgrade.ts';
import type { Forwarder, ForwardRules, JudgedRequest } from './forwarder.ts';
import { createResponseHandler } from './response-handler.ts';
import { createUpstreamClient } from './upstream-client.ts';
import { tlsOptionsFor } from './upstream-tls.ts';

export function createForwarder(rules: ForwardRules): Forwarder {
  const requests = createRequestForwarder(rules);
  const proxyUpgrade = createUpgradeProxy({ ...rules, agentFor: (upstream) => tlsAgentFor(upstream, rules) });
  return {
    // The connection of a client that left before the verdict closes no second time: the upstream's would stay open.
    web: (request, response, upstream, judged) =>
      request.socket.destroyed ? () => false : requests.send(request, response, upstream, judged),
    upgrade: (request, socket, head, upstream, judged) => {
      if (!socket.destroyed) proxyUpgrade(request, socket, head, upstream, judged);
    },
    retire: requests.retire,
    close: requests.close,
  };
}

/** http-proxy passes no server name on, and Node would take it from the client's Host header; an agent's own options win. */
const tlsAgentFor = (upstream: Upstream, rules: ForwardRules): Agent | undefined =>
  upstream.kind === 'tcp' && upstream.protocol === 'https:' ? new Agent(tlsOptionsFor(upstream, rules)) : undefined;

/** Plain requests: sent by Postern's own client; the response is streamed (SPEC 6). */
interface RequestForwarder {
  send(request: IncomingMessage, response: ServerResponse, upstream: Upstream, judged: JudgedRequest): () => boolean;
  retire(): void;
  close(): void;
}

function createRequestForwarder(rules: ForwardRules): RequestForwarder {
  const client = createUpstreamClient(rules);
  return {
    send(request, response, upstream, judged) {
      const isChunked = judged.headers['transfer-encoding'] !== undefined;
      const length = Number(judged.headers['content-length'] ?? 0);
      if (length > rules.maxUpload) {
        judged.onFailure('body-too-large');
        return () => false;
      }
      const hasUpload = judged.body === undefined && (isChunked || length > 0);
      const upload = hasUpload ? { length: isChunked ? undefined : length } : undefined;
      const handler = createResponseHandler(response, judged, rules);
      if (hasUpload && isChunked)
        limitUpload(request, rules.maxUpload, judged.watch, () => handler.fail('body-too-large'));
      judged.watch?.onAsked();
      const dispatch = (): void => client.dispatch({ upstream, request, response, judged, upload, handler });
      const waking = wakeUp(upstream);
      if (!waking) dispatch();
      else
        void waking.then(() => {
          if (!response.destroyed) dispatch();
        });
      return () => handler.giveUp();
    },
    retire: client.retire,
    close: client.close,
  };
}

/** Counts the bytes of a body without an announced length as they stream. `maxUpload` is in bytes. */
function limitUpload(
  request: IncomingMessage,
  maxUpload: number,
  watch: UpstreamWatch | undefined,
  onTooLarge: () => void,
): void {
  let received = 0;
  // Not `on`: it starts the flow, and who sends the body on may begin to listen later.
  request.prependListener('data', (chunk: Buffer) => {
    received += chunk.length;
    watch?.onUploaded(chunk.length);
    if (received > maxUpload) onTooLarge();
  });
}
