/** Where log lines go: JSON on standard output, and pretty where a person is looking (SPEC 9). */
import type { Writable } from 'node:stream';
import type { DestinationStream } from 'pino';
import { prettyLine } from './pretty-line.ts';

export interface LogDestination extends DestinationStream {
  /** Before anything else is written to the same place. */
  flush(): void;
}

/** For so long lines are gathered, and then written together: a line for each request must not be a system call each. */
const GATHERED_MS = 20;

export function openLogDestination(stdout: Writable & { isTTY?: boolean }): LogDestination {
  let waiting: string[] = [];
  const flush = (): void => {
    if (waiting.length === 0) return;
    const text = waiting.join('');
    waiting = [];
    stdout.write(text);
  };
  // Whoever read it is gone: a pipe that is closed, a terminal that hung up. The gate is not to go with them.
  stdout.on('error', () => {});
  process.on('exit', flush); // what was said last before a fault is what is wanted most
  return {
    flush,
    write(line) {
      if (waiting.length === 0) setTimeout(flush, GATHERED_MS);
      waiting.push(stdout.isTTY ? prettyLine(line) : line);
    },
  };
}
