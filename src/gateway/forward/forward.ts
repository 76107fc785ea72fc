/** Forwarding: sends an admitted request to its upstream and the response back, both as streams (SPEC 6). */
import { Agent } from 'node:https';
import type { Upstream } from '../../domain/addresses/socket-address.ts';
import { createUpgradeProxy } from '../websocket/proxy-upgrade.ts';
import { createRequestForwarder } from './forward-request.ts';
import type { Forwarder, ForwardRules } from './forwarder.ts';
import { tlsOptionsFor } from './upstream-tls.ts';

export function createForwarder(rules: ForwardRules): Forwarder {
  const requests = createRequestForwarder(rules);
  const proxyUpgrade = createUpgradeProxy({ ...rules, agentFor: (upstream) => tlsAgentFor(upstream, rules) });
  return {
    // The connection of a client that left before the verdict closes no second time: the upstream's would stay open.
    web: (request, response, upstream, judged) => {
      if (!request.socket.destroyed) requests.send(request, response, upstream, judged);
    },
    upgrade: (request, socket, head, upstream, judged) => {
      if (!socket.destroyed) proxyUpgrade(request, socket, head, upstream, judged);
    },
    close: requests.close,
  };
}

/** http-proxy passes no server name on, and Node would take it from the client's Host header; an agent's own options win. */
const tlsAgentFor = (upstream: Upstream, rules: ForwardRules): Agent | undefined =>
  upstream.kind === 'tcp' && upstream.protocol === 'https:' ? new Agent(tlsOptionsFor(upstream, rules)) : undefined;
