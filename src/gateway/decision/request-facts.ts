/** The facts of a Node request, for the decision. */
import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { foldAddress } from '../../domain/addresses.ts';
import type { ListenerName, RequestFacts } from '../../domain/request.ts';

/** `head` is what came behind the head of an upgrade; absent for a plain request. */
export function requestFacts(request: IncomingMessage, listener: ListenerName, head?: Buffer): RequestFacts {
  const connection = connectionOf(request);
  return {
    listener,
    method: request.method ?? '',
    target: request.url ?? '',
    httpVersion: request.httpVersion,
    rawHeaders: request.rawHeaders,
    headers: request.headers,
    peer: peerOf(request.socket, connection),
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
const connectionOf = (request: IncomingMessage | Http2ServerRequest): object =>
  ('stream' in request && request.stream.session) || request.socket;

const peers = new WeakMap<object, string>();

const THIS_MACHINE = '127.0.0.1';

/** Marks a Unix socket, which has no address: its other end is on this machine. */
export const markLocal = (socket: Duplex): void => void peers.set(socket, THIS_MACHINE);

/** The same for all requests of a connection; empty when the connection was gone before the first question. */
export function peerOf(
  socket: Duplex & { readonly remoteAddress?: string | undefined },
  connection: object = socket,
): string {
  const known = peers.get(connection);
  if (known !== undefined) return known;
  const peer = foldAddress(socket.remoteAddress ?? '') ?? '';
  if (peer !== '') peers.set(connection, peer);
  return peer;
}
