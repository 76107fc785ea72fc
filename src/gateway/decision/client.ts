/** The client of a request: its address, TLS and host, as far as the TCP peer may say so for it (interface 5.4). */

import {
  clientAddress,
  hopsFromTheRight,
  isTrustedPeer,
  type TrustedNetworks,
  trustedHops,
} from '../../domain/addresses.ts';
import { headerLines, type RequestFacts, singleHeader } from '../../domain/request.ts';

export interface Client {
  readonly address: string;
  /** Whether the client came over TLS, here or at a trusted proxy. */
  readonly encrypted: boolean;
  /** The Host that the client asked for, here or at a trusted proxy. */
  readonly host: string;
  /** Whether the TCP peer is a trusted proxy, so that what it forwards is believed. */
  readonly viaTrustedProxy: boolean;
  /** The prefix below which it sees the service; absent for none. */
  readonly basePath?: string;
}

/** Traefik names the scheme of a WebSocket. A list, and anything else, says nothing. */
const OVER_TLS = new Map<string | undefined, boolean>([
  ['https', true],
  ['wss', true],
  ['http', false],
  ['ws', false],
]);

export function clientOf(request: RequestFacts, trusted: TrustedNetworks): Client {
  const viaTrustedProxy = isTrustedPeer(request.peer, trusted);
  const forwardedProto = viaTrustedProxy ? singleHeader(request, 'x-forwarded-proto') : undefined;
  // Never on the internal listener: a page that rebinds its own name to this machine could send `localhost` here.
  const believesHost = viaTrustedProxy && request.listener === 'external';
  const forwardedFor = viaTrustedProxy ? headerLines(request, 'x-forwarded-for') : [];
  const client: Client = {
    address: viaTrustedProxy ? clientAddress(request.peer, forwardedFor, trusted) : request.peer,
    encrypted: OVER_TLS.get(forwardedProto?.toLowerCase()) ?? request.encrypted,
    host: (believesHost && forwardedHost(request, forwardedFor, trusted)) || (singleHeader(request, 'host') ?? ''),
    viaTrustedProxy,
  };
  return request.basePath === undefined ? client : { ...client, basePath: request.basePath };
}

/** Each trusted proxy adds the host that it was asked for at the right end, as it adds an address; undefined where none did. */
function forwardedHost(
  request: RequestFacts,
  forwardedFor: readonly string[],
  trusted: TrustedNetworks,
): string | undefined {
  const hosts = hopsFromTheRight(headerLines(request, 'x-forwarded-host'));
  if (hosts.length < 2) return hosts[0];
  return hosts[Math.min(hosts.length, trustedHops(request.peer, forwardedFor, trusted)) - 1];
}
