/** The connection that a response is written to. */
import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** Written to the kernel as it is. TLS and HTTP/2 keep what is written for an unknown time. */
export const isPlain = ({ socket }: ServerResponse): boolean => socket instanceof Socket && !('encrypted' in socket);

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
