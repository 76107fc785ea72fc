/** WebSockets that echo, by counting: as many frames go out as came in, so that the echo costs next to nothing. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { acceptKey, CLIENT_FRAME, SERVER_FRAME } from '../websocket-frames.ts';

export function answerUpgrade(request: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => {});
  const key = request.headers['sec-websocket-key'] ?? '';
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${acceptKey(key)}\r\n\r\n`,
  );
  let waiting = 0;
  socket.on('data', (chunk: Buffer) => {
    waiting += chunk.length;
    const frames = Math.floor(waiting / CLIENT_FRAME.length);
    waiting -= frames * CLIENT_FRAME.length;
    if (frames > 0) socket.write(frames === 1 ? SERVER_FRAME : Buffer.concat(Array(frames).fill(SERVER_FRAME)));
  });
  socket.on('end', () => socket.end());
}
