/** The facts of a Node request, as the corridor judges them. */
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { ListenerName, RequestFacts } from '../domain/request.ts';
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
    peer: foldAddress(request.socket.remoteAddress ?? '') ?? '',
    encrypted: request.socket instanceof TLSSocket,
    connection: request.socket,
    isUpgrade: head !== undefined,
    pipelinedBytes: head?.length ?? 0,
  };
}
