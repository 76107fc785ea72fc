/** What many requests write in one turn of the event loop goes out together, at its end. */

import type { Readable, Writable } from 'node:stream';

type Write = () => void;

let waiting: Write[] = [];

/**
 * The first byte wakes whoever waits for it, on another core, and waking costs more than writing: written one by one
 * between judging one request and the next, each wakes anew. What comes alone waits for nobody.
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
    for (const write of writes.slice(done)) atEndOfTurn(write); // one's fault is nobody else's
  }
}

/** The same for what is piped from one socket to another. To be called before the pipe is laid: it writes what it hears. */
export function pipedAtEndOfTurn(source: Readable, sink: Writable): void {
  const uncork = (): void => sink.uncork();
  // Not `on`, with which a stream begins to flow before anybody reads it.
  source.prependListener('data', () => {
    if (sink.writableCorked > 0) return;
    sink.cork();
    atEndOfTurn(uncork);
  });
}
