/** Writes of many requests in one turn of the event loop go out together, at its end. */

import type { Readable, Writable } from 'node:stream';

type Write = () => void;

let waiting: Write[] = [];

/**
 * The first byte wakes the reader, on another core, and waking costs more than writing: written one by one between two
 * decisions, each write wakes the reader anew. A single write is not delayed beyond its turn.
 */
export function atEndOfTurn(write: Write): void {
  if (waiting.push(write) === 1) setImmediate(writeAll);
}

function writeAll(): void {
  const writes = waiting;
  waiting = [];
  let done = 0;
  try {
    while (done < writes.length) writes[done++]?.();
  } finally {
    for (const write of writes.slice(done)) atEndOfTurn(write); // the fault of one write must not keep the others back
  }
}

/** The same for what is piped from one socket to another. To be called before the pipe is laid: it writes what it hears. */
export function pipedAtEndOfTurn(source: Readable, sink: Writable): void {
  const uncork = (): void => sink.uncork();
  // Not `on`: it starts the flow before a reader is there.
  source.prependListener('data', () => {
    if (sink.writableCorked > 0) return;
    sink.cork();
    atEndOfTurn(uncork);
  });
}
