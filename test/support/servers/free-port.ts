/** Ports of the loopback interface that were free a moment ago, for servers that must be told theirs. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** The system gives higher ones by itself: another test that listens on port 0 takes none of these meanwhile. */
const [FIRST, LAST] = [10_000, 32_000];
const ATTEMPTS = 100;

export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(FIRST, LAST);
    if (await isFree(port)) return port;
  }
  throw new Error(`no port from ${FIRST} to ${LAST} was free in ${ATTEMPTS} attempts`);
}

/** Each another one. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  await new Promise((resolve) => server.close(resolve));
  return true;
}
