/** The first byte on the TLS port: a TLS handshake goes on, plain HTTP gets a 400 that says so, anything else is closed (SPEC 1). */
import type { Socket } from 'node:net';

/** The record type that a TLS handshake begins with (RFC 8446 5.1). */
const HANDSHAKE = 0x16;
const [FIRST_LETTER, LAST_LETTER] = [0x41, 0x5a];

/** Long enough for the client to read the response. */
const LINGER_MS = 2_000;

const SENTENCE = 'This port speaks HTTPS: write https:// in the place of http:// in the address.\n';
const USE_HTTPS = [
  'HTTP/1.1 400 Bad Request',
  'Content-Type: text/plain; charset=utf-8',
  `Content-Length: ${SENTENCE.length}`,
  'Cache-Control: no-store',
  'Connection: close',
  '',
  SENTENCE,
].join('\r\n');

/** `onHandshake` is given the socket as if nothing had been read of it. A client that sends nothing is closed after `patienceMs`. */
export function detectPlainHttp(
  socket: Socket,
  patienceMs: number,
  { onHandshake, onPlainHttp }: Readonly<Record<'onHandshake' | 'onPlainHttp', (socket: Socket) => void>>,
): void {
  const onTimeout = (): void => void socket.destroy();
  socket.on('error', () => {}); // a client that resets now has asked nothing
  socket.setTimeout(patienceMs, onTimeout);
  socket.once('data', (chunk: Buffer) => {
    socket.setTimeout(0).off('timeout', onTimeout);
    const first = chunk.readUInt8(0);
    if (first === HANDSHAKE) {
      socket.pause();
      socket.unshift(chunk);
      onHandshake(socket);
    } else if (first >= FIRST_LETTER && first <= LAST_LETTER) {
      onPlainHttp(socket);
      sayToUseHttps(socket);
    } else socket.destroy();
  });
}

/** The rest of the request is read and dropped: closing a socket with unread bytes resets the connection, and the response is lost. */
function sayToUseHttps(socket: Socket): void {
  socket.end(USE_HTTPS);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
