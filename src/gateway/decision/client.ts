/** The client of a request: its address, TLS and host, as far as the TCP peer may say so for it (interface 5.4). */
import { headerLines, type RequestFacts, singleHeader } from '../../domain/request.ts';
import { clientAddress, isTrustedPeer, type TrustedNetworks } from './client-address.ts';

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

export function clientOf(request: RequestFacts, trusted: TrustedNetworks): Client {
  const viaTrustedProxy = isTrustedPeer(request.peer, trusted);
  const forwardedProto = viaTrustedProxy ? singleHeader(request, 'x-forwarded-proto') : undefined;
  // Never on the internal listener: a page that rebinds its own name to this machine could send `localhost` here.
  const believesHost = viaTrustedProxy && request.listener === 'external';
  const forwardedHost = believesHost ? singleHeader(request, 'x-forwarded-host') : undefined;
  const client: Client = {
    address: viaTrustedProxy
      ? clientAddress(request.peer, headerLines(request, 'x-forwarded-for'), trusted)
      : request.peer,
    encrypted: request.encrypted || forwardedProto?.toLowerCase() === 'https',
    host: forwardedHost ?? singleHeader(request, 'host') ?? '',
    viaTrustedProxy,
  };
  return request.basePath === undefined ? client : { ...client, basePath: request.basePath };
}
