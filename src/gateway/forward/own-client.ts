/** Requests by Postern's own client, over plain connections: a third of undici's processor time for long bodies. */
import { originOf, type Upstream } from '../../domain/addresses/socket-address.ts';
import { isOverNetwork } from '../response/client-socket.ts';
import { type ConnectionPool, createConnectionPool } from '../upstream/connection-pool.ts';
import type { Exchange, ExchangeControl } from '../upstream/exchange.ts';
import type { ForwardRules } from './forwarder.ts';
import { type AskedUpstream, isRepeatable, type UpstreamClient } from './upstream-client.ts';

export function createOwnClient(rules: ForwardRules): UpstreamClient {
  const pools = new Map<string, ConnectionPool>();
  const poolOf = (upstream: Upstream): ConnectionPool => {
    const origin = originOf(upstream);
    const known = pools.get(origin);
    if (known) return known;
    const opened = createConnectionPool(upstream, rules);
    pools.set(origin, opened);
    return opened;
  };
  return {
    dispatch: (asked) => poolOf(asked.upstream).dispatch(exchangeOf(asked)),
    close() {
      for (const pool of pools.values()) pool.close();
    },
  };
}

function exchangeOf(asked: AskedUpstream): Exchange {
  const { request, response, judged, upload, handler } = asked;
  let control: ExchangeControl;
  return {
    head: { method: request.method ?? '', target: judged.target, headers: judged.headers },
    body: judged.body,
    upload: upload && { request, length: upload.length },
    isRepeatable: isRepeatable(asked),
    mayBorrow: isOverNetwork(response),
    onStart(started) {
      control = started;
      handler.onRequestStart(control);
    },
    onHead: ({ statusCode, headers }) => handler.onResponseStart(control, statusCode, headers),
    onBody: (bytes, onTaken) => handler.onLentData(control, bytes, onTaken),
    onEnd: (trailers) => handler.onResponseEnd(control, trailers),
    onError: (error) => handler.onResponseError(control, error),
  };
}
