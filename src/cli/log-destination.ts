/** Where log lines go: JSON on standard output, and pretty where a person is looking (SPEC 9). */
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { DestinationStream } from 'pino';
import { prettyLine } from './pretty-line.ts';

export interface LogDestination extends DestinationStream {
  /** Writes what is gathered, before anything else is written to the same place. */
  flush(): void;
  /** How many lines were dropped since the start, because the output was not read. */
  dropped(): number;
  /** Whether everything was written, after waiting for so long at most. */
  written(patienceMs: number): Promise<boolean>;
}

/** The time for which lines are gathered and then written together: a line for each request must not be a system call each. */
const GATHERED_MS = 20;
/** The most characters that wait for a reader that has stopped: they must not fill the memory. */
const MOST_WAITING = 1024 * 1024;

export function openLogDestination(stdout: Writable & { isTTY?: boolean }): LogDestination {
  let waiting: string[] = [];
  let length = 0;
  let dropped = 0;
  const flush = (): void => {
    // Node keeps what a pipe does not take; more is given only when that has gone out.
    if (waiting.length === 0 || stdout.writableNeedDrain) return;
    const text = waiting.join('');
    waiting = [];
    length = 0;
    stdout.write(text);
  };
  // The reader is gone: a closed pipe, a terminal that hung up. The gate goes on without it.
  stdout.on('error', () => {});
  stdout.on('drain', flush);
  process.on('exit', flush); // what was said last before a fault is what is wanted most
  return {
    flush,
    dropped: () => dropped,
    async written(patienceMs) {
      const end = performance.now() + patienceMs;
      for (flush(); waiting.length > 0 || stdout.writableLength > 0; flush()) {
        if (performance.now() >= end) return false;
        await delay(GATHERED_MS);
      }
      return true;
    },
    write(line) {
      if (length + line.length > MOST_WAITING) {
        dropped += 1;
        return;
      }
      if (waiting.length === 0) setTimeout(flush, GATHERED_MS);
      const text = stdout.isTTY ? prettyLine(line) : line;
      waiting.push(text);
      length += text.length;
    },
  };
}
