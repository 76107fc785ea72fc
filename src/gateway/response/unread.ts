/** What clients have not read yet and this process holds for them, all connections together: it has one bound. */
import type { ServerResponse } from 'node:http';
import { cutOff } from './client-socket.ts';

export interface UnreadMemory {
  /** One connection. `close` ends it when all memory is used up, and it is the one that has read nothing for the longest time. */
  open(close: () => void): Unread;
  bytes(): number;
}

export interface Unread {
  /** So many bytes wait now. `hasRead`: the client has taken some since the last time. */
  holds(bytes: number, hasRead?: boolean): void;
  end(): void;
}

export function createUnreadMemory(most: number): UnreadMemory {
  let sum = 0;
  /** The connections that hold something. The first has read nothing for the longest time. */
  const waiting = new Set<Waiting>();
  return {
    bytes: () => sum,
    open(close) {
      let own = 0;
      const set = (bytes: number): void => {
        sum += bytes - own;
        own = bytes;
      };
      const connection: Waiting = {
        end() {
          set(0);
          waiting.delete(connection);
        },
        close() {
          connection.end();
          close();
        },
      };
      return {
        end: connection.end,
        holds(bytes, hasRead = bytes < own) {
          set(bytes);
          if (hasRead || bytes === 0) waiting.delete(connection);
          if (bytes > 0) waiting.add(connection);
          for (const longest of waiting) {
            if (sum <= most) return;
            longest.close();
          }
        },
      };
    },
  };
}

interface Waiting {
  end(): void;
  close(): void;
}

const MOST_UNREAD = 64 * 1024 * 1024;
/** One for the process, whatever is reloaded: the memory is shared as well. */
export const UNREAD = createUnreadMemory(MOST_UNREAD);

const PIECE = 64 * 1024;

/** Ends the response with a body that is held whole until the client has read it. It is written in pieces: each that is taken tells that the client reads. */
export function endWith(response: ServerResponse, body: Uint8Array | string): void {
  if (body.length <= PIECE) return void response.end(body);
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const unread = UNREAD.open(() => cutOff(response));
  response.once('close', unread.end);
  let at = 0;
  const writeOn = (): void => {
    while (at < bytes.length) {
      const piece = bytes.subarray(at, at + PIECE);
      at += PIECE;
      if (response.write(piece)) continue;
      unread.holds(bytes.length, true);
      return void response.once('drain', writeOn);
    }
    response.end();
  };
  writeOn();
}
