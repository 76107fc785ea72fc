/** The connection that a response is written to: when its bytes go out, what is held until the client reads, and how it is cut off. */
import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** Neither TLS nor HTTP/2, nor a stream within this process. */
const isPlain = ({ socket }: ServerResponse): boolean => socket instanceof Socket && !('encrypted' in socket);

/** Not a stream within this process, whose reader would see the memory that was written. */
export const isOverNetwork = ({ socket }: ServerResponse): boolean => socket instanceof Socket;

/**
 * Ends a response that has begun and will not be whole. HTTP/1.0 knows no chunks: there the end of the connection is the end
 * of the body, and only a reset tells one from the other. Over TLS the close alert is missing, which tells it too.
 */
export function cutOff(response: ServerResponse): void {
  const { socket, req } = response;
  const isTcp = isPlain(response) && socket?.remoteAddress !== undefined;
  if (isTcp && req.httpVersion === '1.0') socket.resetAndDestroy();
  response.destroy();
}

/** A client that takes nothing for so long is cut (SPEC 1). A proxy in front may have read a gigabyte ahead, and its client plays that first. */
export const STALLED_SECONDS = 3600;

const stalled = new WeakSet<ServerResponse>();

/** The client took nothing of this response for too long, and is about to be cut off. */
export const noteStalled = (response: ServerResponse): void => void stalled.add(response);
export const hasStalled = (response: ServerResponse): boolean => stalled.has(response);

export type UnreadMemory = ReturnType<typeof createUnreadMemory>;

/** What clients have not read yet and this process holds for them, all connections together: it has one bound. */
export function createUnreadMemory(most: number) {
  let sum = 0;
  /** The connections that hold something. The first has read nothing for the longest time. */
  const waiting = new Set<Waiting>();
  return {
    bytes: (): number => sum,
    /** One connection. `close` ends it when all memory is used up, and it is the one that has read nothing for the longest time. */
    open(close: () => void) {
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
        /** So many bytes wait now. `hasRead`: the client has taken some since the last time. */
        holds(bytes: number, hasRead = bytes < own): void {
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

/** Writes of many requests in one turn of the event loop go out together, at its end. */
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

const MOST_IN_TURN = 16;

/** Does at once what comes alone, and of what thousands bring at once some in each turn of the event loop: other requests come in between. */
export function inTurns(): (act: Write, of?: Pick<Socket, 'destroyed'>) => void {
  const crowd = new Set<Parameters<ReturnType<typeof inTurns>>>();
  let inThisTurn = 0;
  const goOn = (): void => {
    inThisTurn = 0;
    for (const one of crowd) {
      crowd.delete(one);
      const [act, of] = one;
      if (of?.destroyed) continue; // who has left takes nobody's turn
      atEndOfTurn(act);
      inThisTurn += 1;
      if (inThisTurn === MOST_IN_TURN) break;
    }
    if (inThisTurn > 0) setImmediate(goOn);
  };
  return (act, of) => {
    if (inThisTurn++ === 0) setImmediate(goOn);
    if (inThisTurn > MOST_IN_TURN) crowd.add([act, of]);
    else act();
  };
}

/** Ends what belongs to a connection that has ended. */
export const leaveInTurn = inTurns();
