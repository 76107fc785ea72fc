/** Keeps file descriptors free for the telemetry listener, the store and the log: a connection that takes one of the last is closed. */
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

/** The least number that stays free; of a high limit a sixteenth. */
const LEAST_FREE = 16;

/** Whether the socket has one of the last descriptors. The system gives the lowest number that is free. */
export function createDescriptorReserve(limit: number | undefined = descriptorLimit()): (socket: Socket) => boolean {
  if (limit === undefined) return () => false;
  const last = limit - Math.max(LEAST_FREE, Math.floor(limit / 16));
  return (socket) => (descriptorOf(socket) ?? 0) >= last;
}

/** Undefined where the machine does not tell. */
function descriptorLimit(): number | undefined {
  try {
    const limit = Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);
    return Number.isNaN(limit) ? undefined : limit;
  } catch {
    return undefined;
  }
}

const descriptorOf = (socket: Socket): number | undefined =>
  (socket as Socket & { readonly _handle?: { readonly fd?: number } | null })._handle?.fd;
