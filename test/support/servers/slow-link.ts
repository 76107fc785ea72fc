/** A TCP link to a server of this machine that delays what the client sends, or holds it back, and notes it. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface SlowLink {
  readonly port: number;
  /** What was sent since the link was made, each with its connection's first bytes. */
  readonly sent: readonly { readonly opening: string; readonly text: string }[];
  /** Delays what comes from now on, in milliseconds; Infinity: nothing gets through. What waits is let through first. */
  setDelay(milliseconds: number): void;
  close(): void;
}

/** The longest that a timer can wait. */
const FOREVER = 2 ** 31 - 1;

export async function openSlowLink(port: number): Promise<SlowLink> {
  const sent: { opening: string; text: string }[] = [];
  const sockets = new Set<Socket>();
  /** The waiting bytes, in the order in which they came. */
  const waiting = new Map<NodeJS.Timeout, () => void>();
  let delay = 0;
  const server = createServer((client) => {
    const target = connect(port, '127.0.0.1');
    let opening = '';
    for (const socket of [client, target]) {
      sockets.add(socket);
      // Else the system gathers small writes for 40 ms, which is none of the delay that was asked for.
      socket.setNoDelay();
      socket.on('error', () => {});
      socket.once('close', () => {
        sockets.delete(socket);
        client.destroy();
        target.destroy();
      });
    }
    target.pipe(client);
    client.on('data', (bytes) => {
      const text = bytes.toString('latin1');
      opening ||= text;
      sent.push({ opening, text });
      const pass = (): void => {
        waiting.delete(timer);
        clearTimeout(timer);
        if (!target.destroyed) target.write(bytes);
      };
      const timer: NodeJS.Timeout = setTimeout(pass, Math.min(delay, FOREVER));
      waiting.set(timer, pass);
      if (delay === 0) pass();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    sent,
    setDelay(milliseconds) {
      delay = milliseconds;
      for (const pass of [...waiting.values()]) pass();
    },
    close() {
      for (const timer of waiting.keys()) clearTimeout(timer);
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
