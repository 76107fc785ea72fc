/** TLS in front of a plain server, byte by byte: an upstream that speaks it. What breaks on one side breaks on the other. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { makeServed } from './served-certificate.ts';

export interface TlsFront {
  readonly port: number;
  readonly ca: string;
  close(): Promise<void>;
}

export async function startTlsFront(behind: number): Promise<TlsFront> {
  const { certificate, privateKey } = await makeServed();
  const open = new Set<Socket>();
  const secureContext = createSecureContext({ cert: certificate, key: privateKey });
  const server = createServer({ allowHalfOpen: true }, (raw) => {
    const outer = new TLSSocket(raw, { isServer: true, secureContext });
    const inner = connect({ port: behind, host: '127.0.0.1', allowHalfOpen: true });
    for (const socket of [raw, outer, inner]) open.add(socket.once('close', () => open.delete(socket)));
    inner.on('error', () => raw.resetAndDestroy()).on('close', () => outer.destroy());
    for (const socket of [raw, outer])
      socket.on('error', () => inner.resetAndDestroy()).on('close', () => inner.destroy());
    outer.pipe(inner).pipe(outer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    ca: certificate,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
