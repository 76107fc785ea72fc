/** Many WebSockets from one process, on bare sockets: so that the client is not what is measured (RFC 6455 4.1). */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CLIENT_FRAME, SERVER_FRAME } from './websocket-frames.ts';

export interface WebSocketTarget {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const AT_ONCE = 50;
const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';

export async function openWebSockets(target: WebSocketTarget, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const batch = Math.min(AT_ONCE, count - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: batch }, () => openWebSocket(target)))));
  }
  return sockets;
}

/** Rejects unless the answer is 101. */
export async function openWebSocket({ url, headers = {} }: WebSocketTarget): Promise<Socket> {
  const { hostname, port, host, pathname, search } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const handshake = {
    host,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': KEY,
  };
  const lines = Object.entries({ ...handshake, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`);
  socket.on('error', () => {}); // whoever waits for an answer or an echo sees that it is gone
  const answer = await new Promise<string>((resolve) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString('latin1')));
    socket.once('close', () => resolve('closed without an answer'));
  });
  if (answer.startsWith('HTTP/1.1 101')) return socket;
  socket.destroy();
  throw new Error(`${url}: ${answer.slice(0, 300)}`);
}

/** Messages to and fro on all sockets for a while, each awaiting its echo; how many came back. Rejects if any was closed. */
export async function exchangeMessages(sockets: readonly Socket[], seconds: number): Promise<number> {
  let messages = 0;
  let isOver = false;
  const listeners = sockets.map((socket) => {
    let received = 0;
    const onData = (chunk: Buffer): void => {
      received += chunk.length;
      if (received < SERVER_FRAME.length) return;
      received -= SERVER_FRAME.length;
      messages += 1;
      if (!isOver) socket.write(CLIENT_FRAME);
    };
    socket.on('data', onData);
    return () => socket.off('data', onData);
  });
  for (const socket of sockets) socket.write(CLIENT_FRAME);
  await sleep(seconds * 1000);
  isOver = true;
  const counted = messages;
  await sleep(LAST_ECHOES_MS);
  for (const stop of listeners) stop();
  const gone = sockets.filter((socket) => socket.destroyed).length;
  if (gone > 0) throw new Error(`${gone} of ${sockets.length} WebSockets were closed`);
  return counted;
}

const LAST_ECHOES_MS = 200;
