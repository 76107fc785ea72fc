/** Kept connections to the upstreams: one pool of them for each address (SPEC 6). */
import { buildConnector, Pool } from 'undici';
import { originOf, type Upstream } from '../../domain/addresses/socket-address.ts';
import type { ForwardRules } from './forwarder.ts';
import { tlsOptionsFor } from './upstream-tls.ts';

export interface UpstreamPools {
  of(upstream: Upstream): Pool;
  /** Breaks what is under way. */
  close(): void;
}

export function createUpstreamPools(rules: ForwardRules): UpstreamPools {
  const pools = new Map<string, Pool>();
  return {
    of(upstream) {
      const origin = originOf(upstream);
      const known = pools.get(origin);
      if (known) return known;
      const pool = openPool(upstream, rules);
      pools.set(origin, pool);
      return pool;
    },
    close() {
      for (const pool of pools.values()) void pool.destroy();
    },
  };
}

/**
 * To be sent with each request: undici opens a connection anew where this differs from the request before, and would
 * take it from the Host header. What goes into the TLS handshake is set by the connector.
 */
export const servernameFor = (upstream: Upstream): string => (upstream.kind === 'tcp' ? upstream.host : 'localhost');

function openPool(upstream: Upstream, rules: ForwardRules): Pool {
  const tls = tlsOptionsFor(upstream, rules);
  const connect = buildConnector({
    timeout: rules.timeoutConnect * 1000,
    allowH2: false, // what is sent was framed for HTTP/1.1, and judged so
    ...tls,
    ...(upstream.kind === 'unix' ? { socketPath: upstream.path } : {}),
  });
  return new Pool(upstream.kind === 'unix' ? 'http://localhost' : originOf(upstream), {
    pipelining: 1,
    headersTimeout: rules.timeoutResponse * 1000,
    bodyTimeout: rules.timeoutIdle * 1000,
    connect: (options, callback) =>
      connect({ ...options, servername: tls.servername }, (...connected) => {
        connected[1]?.on('error', notAnEnd);
        callback(...connected);
      }),
  });
}

/** undici takes a connection that is reset for one that ended, and a body that has no other end for whole. */
function notAnEnd(fault: NodeJS.ErrnoException): void {
  if (fault.code === 'ECONNRESET') fault.code = 'EPIPE';
}
