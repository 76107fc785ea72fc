/** Listens on a free port of loopback and prints it, for the benchmark that started this process. */
import type { Server } from 'node:http';

export function announce(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    console.log(typeof address === 'object' ? address?.port : address);
  });
}
