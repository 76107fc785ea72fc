/** The facts of a Node request, for the decision: its client as far as the TCP peer may say so for it (interface 5.4), and its path below the base path (SPEC 1). */
import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import {
  clientAddress,
  foldAddress,
  hopsFromTheRight,
  type TrustedNetworks,
  trustedHops,
  withoutPrefix,
} from '../../domain/addresses.ts';
import { headerLines, type ListenerName, type RequestFacts, singleHeader } from '../../domain/request.ts';
import { targetInOneSpelling } from './strict-target.ts';

/** `head` is what came behind the head of an upgrade; absent for a plain request. */
export function requestFacts(request: IncomingMessage, listener: ListenerName, head?: Buffer): RequestFacts {
  const connection = connectionKey(request);
  return {
    listener,
    method: request.method ?? '',
    target: request.url ?? '',
    httpVersion: request.httpVersion,
    rawHeaders: request.rawHeaders,
    headers: request.headers,
    peer: readPeer(request.socket, connection),
    encrypted: request.socket instanceof TLSSocket,
    connection,
    isUpgrade: head !== undefined,
    pipelinedBytes: head?.length ?? 0,
  };
}

/**
 * The connection of a request. Over HTTP/2 Node makes a socket for each stream: what the streams of a connection have in
 * common is their session.
 */
const connectionKey = (request: IncomingMessage | Http2ServerRequest): object =>
  ('stream' in request && request.stream.session) || request.socket;

const peers = new WeakMap<object, string>();

const THIS_MACHINE = '127.0.0.1';

/** Marks a Unix socket, which has no address: its other end is on this machine. */
export const markLocal = (socket: Duplex): void => void peers.set(socket, THIS_MACHINE);

/** The same for all requests of a connection; empty when the connection was gone before the first question. */
export function readPeer(
  socket: Duplex & { readonly remoteAddress?: string | undefined },
  connection: object = socket,
): string {
  const known = peers.get(connection);
  if (known !== undefined) return known;
  const peer = foldAddress(socket.remoteAddress ?? '') ?? '';
  if (peer !== '') peers.set(connection, peer);
  return peer;
}

/** The client of a request: its address, TLS and host, as far as the TCP peer may say so for it (interface 5.4). */
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

export function findClient(request: RequestFacts, trusted: TrustedNetworks): Client {
  const viaTrustedProxy = trusted.includes(request.peer);
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

/** The prefix goes into pages, redirects and cookies: whole segments of these letters hold neither markup nor another host. */
const INGRESS_PATH = /^(?:\/[A-Za-z0-9_-]+)+$/;
const LONGEST = 256;

/** Where a proxy asks about a request of its client, or a caller about itself. */
export const AUTH_TARGET = /^(?:\/api)?\/auth(?:$|\?)/;

/**
 * The request with its path in one spelling and the base path cut off: the prefix below which a client sees this service, by
 * `server.base_path`, or by a trusted ingress for one request (SPEC 1). Home Assistant's ingress has cut it already. A proxy
 * that asks at `/auth` passes its client's headers on, so there the client could have sent `X-Ingress-Path`: nothing is
 * cut by it, else `/auth` below `/auth` would be the start page, which is public.
 */
export function belowBasePath(
  request: RequestFacts,
  { trusted, basePath: configured = '' }: { readonly trusted: TrustedNetworks; readonly basePath?: string },
): RequestFacts {
  const basePath = ingressPath(request, trusted) ?? configured;
  const target = targetInOneSpelling(request.target);
  if (basePath === '') return target === request.target ? request : { ...request, target };
  const belowConfigured = withoutPrefix(target, configured);
  const below = AUTH_TARGET.test(belowConfigured) ? belowConfigured : withoutPrefix(target, basePath);
  return { ...request, basePath, target: below };
}

function ingressPath(request: RequestFacts, trusted: TrustedNetworks): string | undefined {
  const said = singleHeader(request, 'x-ingress-path');
  if (said === undefined || said.length > LONGEST || !INGRESS_PATH.test(said)) return undefined;
  return trusted.includes(request.peer) ? said : undefined;
}
