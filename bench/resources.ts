/** What a server says that it holds, beside what the machine says of it. */
import { once } from 'node:events';
import { join } from 'node:path';
import { openFiles, residentMegabytes } from './machine.ts';
import type { StartedPostern } from './start-postern.ts';

/** For `nodeFlags` of a server that is to be asked. */
export const TELLING: readonly string[] = ['--import', join(import.meta.dirname, 'servers/report-resources.ts')];

export interface Resources {
  /** Handles and requests of Node's own kinds: `TCPSocketWrap`, `Timeout`, … */
  readonly byType: Readonly<Record<string, number>>;
  /** After garbage was collected. */
  readonly heapMegabytes: number;
  readonly externalMegabytes: number;
  readonly residentMegabytes: number;
  readonly sockets: number;
  readonly files: number;
}

interface Told {
  readonly byType: Readonly<Record<string, number>>;
  readonly memory: NodeJS.MemoryUsage;
}

const MEGABYTE = 1024 * 1024;

export async function askResources({ child, pid }: Pick<StartedPostern, 'child' | 'pid'>): Promise<Resources> {
  const told = once(child, 'message');
  child.send('resources');
  const [{ byType, memory }] = (await told) as [Told];
  const open = openFiles(pid);
  return {
    byType,
    heapMegabytes: memory.heapUsed / MEGABYTE,
    externalMegabytes: memory.external / MEGABYTE,
    residentMegabytes: residentMegabytes(pid),
    sockets: open['socket'] ?? 0,
    files: Object.values(open).reduce((sum, count) => sum + count, 0),
  };
}
