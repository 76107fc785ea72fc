/** The connection that a response is written to. */
import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** Neither TLS nor HTTP/2, nor a stream within this process. */
const isPlain = ({ socket }: ServerResponse): boolean => socket instanceof Socket && !('encrypted' in socket);

/** Not a stream within this process, whose reader would see the memory that was written. */
export const isOverNetwork = ({ socket }: ServerResponse): boolean => socket instanceof Socket;

/**
 * Ends a response that has begun and will not be whole. HTTP/1.0 knows no chunks: there the end of the connection is the end
 * of the body, and only a reset tells one from the other. Over TLS the close alert is missing, which tells it too.
 */
export function cutOff(response: ServerResponse): void {
  const { socket, req } = response;
  const isTcp = isPlain(response) && socket?.remoteAddress !== undefined;
  if (isTcp && req.httpVersion === '1.0') socket.resetAndDestroy();
  response.destroy();
}

const stalled = new WeakSet<ServerResponse>();

/** The client took nothing of this response for too long, and is about to be cut off. */
export const noteStalled = (response: ServerResponse): void => void stalled.add(response);
export const hasStalled = (response: ServerResponse): boolean => stalled.has(response);
