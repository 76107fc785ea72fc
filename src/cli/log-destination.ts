/** Where log lines go: JSON on standard output, and pretty where a person is looking (SPEC 9). */
import type { Writable } from 'node:stream';
import type { DestinationStream } from 'pino';

export async function openLogDestination(stdout: Writable & { isTTY?: boolean }): Promise<DestinationStream> {
  if (!stdout.isTTY) return stdout;
  // An installation without development packages has no printer: plain JSON is still right there.
  const printer = await import('pino-pretty').catch(() => undefined);
  return printer?.default({ destination: stdout, colorize: true, ignore: 'pid,hostname' }) ?? stdout;
}
