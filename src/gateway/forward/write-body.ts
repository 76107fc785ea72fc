/** Parts of a body on their way to a client: written with back-pressure, or from memory that is read into again. */
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';

export interface PausableSource {
  pause(): void;
  resume(): void;
}

export type PausingWrite = (sink: Writable, source: PausableSource, chunk: Buffer) => void;

/** Writes one response: `source` is paused while the sink is full. What was read before it stopped is still written. */
export function createPausingWrite(): PausingWrite {
  let isFull = false;
  return (sink, source, chunk) => {
    if (sink.write(chunk) || isFull) return;
    isFull = true;
    source.pause();
    sink.once('drain', () => {
      isFull = false;
      source.resume();
    });
  };
}

/**
 * Written now and not at the end of the tick: mostly the kernel takes all of it, and the memory is free again at once. TLS and
 * HTTP/2 call back when it is encrypted. Of a response that is destroyed bytes may still be queued: its memory is not free.
 */
export function writeLent(response: ServerResponse, chunk: Buffer, onTaken: () => void): void {
  let isTaken = false;
  const taken = (): void => {
    if (!isTaken) onTaken();
    isTaken = true;
  };
  response.write(chunk, (fault) => void (fault ?? taken()));
  response.socket?.uncork();
  if (response.writableLength === 0) taken();
}
