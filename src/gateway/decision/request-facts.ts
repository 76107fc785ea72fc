/** The facts of a Node request, for the decision. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { ListenerName, RequestFacts } from '../../domain/request.ts';
import { foldAddress } from './client-address.ts';

/** `head` is what came behind the head of an upgrade; absent for a plain request. */
export function requestFacts(request: IncomingMessage, listener: ListenerName, head?: Buffer): RequestFacts {
  return {
    listener,
    method: request.method ?? '',
    target: request.url ?? '',
    httpVersion: request.httpVersion,
    rawHeaders: request.rawHeaders,
    headers: request.headers,
    peer: peerOf(request.socket),
    encrypted: request.socket instanceof TLSSocket,
    connection: request.socket,
    isUpgrade: head !== undefined,
    pipelinedBytes: head?.length ?? 0,
  };
}

const peers = new WeakMap<Duplex, string>();

const THIS_MACHINE = '127.0.0.1';

/** Of a Unix socket, or of a stream within this process, which have no address: who connects to it is on this machine. */
export const markLocal = (socket: Duplex): void => void peers.set(socket, THIS_MACHINE);

/** The same for all requests of a connection; empty when the connection was gone before the first question. */
function peerOf(socket: Socket): string {
  const known = peers.get(socket);
  if (known !== undefined) return known;
  const peer = foldAddress(socket.remoteAddress ?? '') ?? '';
  if (peer !== '') peers.set(socket, peer);
  return peer;
}
