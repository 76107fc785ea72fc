/** Ends a WebSocket whose frames pass unread: with a close frame between two of its frames (RFC 6455 5.2). */
import type { Duplex } from 'node:stream';

/** Milliseconds for the rest of the current frame to arrive, and for the client to answer the close frame. */
const PATIENCE_MS = 1_000;

/**
 * Prepares the end of a WebSocket. Call it before the first byte passes. `server` is the side whose frames go to the client.
 */
export function endableWebSocket(server: Duplex, client: Duplex): (code: number) => void {
  const frames = createFrameReader();
  let isEnding = false;

  const finish = (code: number): void => {
    if (!client.destroyed) client.end(closeFrame(code));
    server.destroy();
  };
  // Not `on`: it would start the flow before the pipe is laid, and the first bytes would reach this listener alone.
  server.prependListener('data', (chunk: Buffer) => {
    if (!isEnding) frames.read(chunk);
  });

  return (code) => {
    if (isEnding) return;
    isEnding = true;
    server.unpipe(client);
    client.unpipe(server);
    client.resume(); // without a reader the end of the client's socket would go unnoticed
    setTimeout(() => {
      client.destroy();
      server.destroy();
    }, PATIENCE_MS).unref();
    if (frames.isBetween()) return finish(code);
    server.on('data', (chunk: Buffer) => {
      if (frames.isBetween() || client.destroyed) return;
      const end = frames.read(chunk);
      client.write(end === undefined ? chunk : chunk.subarray(0, end));
      if (end !== undefined) finish(code);
    });
    server.resume();
  };
}

const SHORTEST_HEAD = 2;

export function createFrameReader() {
  let head = Buffer.alloc(0);
  let payloadLeft = 0;
  return {
    /** Whether the last frame is whole and no other has begun. */
    isBetween: (): boolean => head.length === 0 && payloadLeft === 0,
    /** Where in the chunk the first frame ends; undefined when none does. */
    read(chunk: Buffer): number | undefined {
      let firstEnd: number | undefined;
      let at = 0;
      while (at < chunk.length) {
        if (payloadLeft === 0 && head.length === 0 && chunk.length - at >= headLength(chunk, at)) {
          payloadLeft = payloadLength(chunk, at); // the usual case: the whole frame head is in this chunk
          at += headLength(chunk, at);
        } else if (payloadLeft === 0) {
          const missing = headLength(head) - head.length;
          head = Buffer.concat([head, chunk.subarray(at, at + missing)]);
          at += missing;
          if (at > chunk.length || head.length < headLength(head)) continue;
          payloadLeft = payloadLength(head);
          head = Buffer.alloc(0);
        } else {
          const taken = Math.min(payloadLeft, chunk.length - at);
          payloadLeft -= taken;
          at += taken;
        }
        if (payloadLeft === 0) firstEnd ??= at;
      }
      return firstEnd;
    },
  };
}

/** Bytes of the frame head that begins at `at`, as far as the bytes at hand tell: at least two. */
function headLength(bytes: Buffer, at = 0): number {
  if (bytes.length - at < SHORTEST_HEAD) return SHORTEST_HEAD;
  const second = bytes.readUInt8(at + 1);
  const mask = (second & 0x80) === 0 ? 0 : 4;
  return SHORTEST_HEAD + (LENGTH_BYTES.get(second & 0x7f) ?? 0) + mask;
}

/** Length codes 126 and 127: the length follows in so many bytes. */
const LENGTH_BYTES: ReadonlyMap<number, number> = new Map([
  [126, 2],
  [127, 8],
]);

function payloadLength(bytes: Buffer, at = 0): number {
  const short = bytes.readUInt8(at + 1) & 0x7f;
  if (short === 126) return bytes.readUInt16BE(at + 2);
  return short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short;
}

/** A close frame without a mask: only clients mask their frames. */
function closeFrame(code: number): Buffer {
  const frame = Buffer.from([0x88, 0x02, 0, 0]);
  frame.writeUInt16BE(code, 2);
  return frame;
}
