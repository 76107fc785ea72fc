/** HTTP/2 frames over TLS, as an attacker writes them, and every frame that came back (RFC 9113 4, RFC 7541). */
import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';

// biome-ignore format: a table
export const FRAME = { data: 0, headers: 1, rstStream: 3, settings: 4, ping: 6, goaway: 7, windowUpdate: 8, continuation: 9 } as const;
export const FLAG = { endStream: 0x1, ack: 0x1, endHeaders: 0x4 } as const;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

export interface FramePeer {
  readonly socket: TLSSocket;
  readonly received: Frame[];
  send(...frames: readonly Buffer[]): void;
  /** Resolves when it has come, or when the connection has ended without it. */
  until(holds: (frames: readonly Frame[]) => boolean): Promise<void>;
}

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Literal fields without indexing or Huffman: any bytes, valid or not. */
export const headerBlock = (lines: readonly (readonly [name: string, value: string])[]): Buffer =>
  Buffer.concat(lines.flatMap(([name, value]) => [Buffer.of(0), sized(name), sized(value)]));

function sized(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  if (bytes.length < 127) return Buffer.concat([Buffer.of(bytes.length), bytes]);
  const length = [127];
  let rest = bytes.length - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) length.push((rest % 128) | 128);
  return Buffer.concat([Buffer.from([...length, rest]), bytes]);
}

const LARGEST_FRAME = 16_384;

/** The head of a request, in as many frames as it needs; without `flags` it is the whole request. */
export function request(
  stream: number,
  lines: readonly (readonly [string, string])[],
  flags: number = FLAG.endStream | FLAG.endHeaders,
): Buffer {
  const block = headerBlock(lines);
  if (block.length <= LARGEST_FRAME) return frame(FRAME.headers, flags, stream, block);
  const parts = Array.from({ length: Math.ceil(block.length / LARGEST_FRAME) }, (_, index) =>
    block.subarray(index * LARGEST_FRAME, (index + 1) * LARGEST_FRAME),
  );
  const frames = parts.map((part, index) => {
    const isLast = index === parts.length - 1 ? flags & FLAG.endHeaders : 0;
    return index === 0
      ? frame(FRAME.headers, flags & FLAG.endStream, stream, part)
      : frame(FRAME.continuation, isLast, stream, part);
  });
  return Buffer.concat(frames);
}

export const settings = (...values: readonly (readonly [id: number, value: number])[]): Buffer => {
  const payload = Buffer.alloc(values.length * 6);
  for (const [index, [id, value]] of values.entries()) {
    payload.writeUInt16BE(id, index * 6);
    payload.writeUInt32BE(value, index * 6 + 2);
  }
  return frame(FRAME.settings, 0, 0, payload);
};

export const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

export async function framePeer(port: number, ca: string, first: Buffer = settings()): Promise<FramePeer> {
  const socket = connect({ port, host: '127.0.0.1', ca, ALPNProtocols: ['h2'] });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  const received: Frame[] = [];
  let pending = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 9 && pending.length >= 9 + pending.readUIntBE(0, 3)) {
      const end = 9 + pending.readUIntBE(0, 3);
      const [type, flags, stream] = [pending.readUInt8(3), pending.readUInt8(4), pending.readUInt32BE(5) & 0x7fffffff];
      received.push({ type, flags, stream, payload: Buffer.from(pending.subarray(9, end)) });
      if (type === FRAME.settings && (flags & FLAG.ack) === 0) socket.write(frame(FRAME.settings, FLAG.ack, 0));
      pending = Buffer.from(pending.subarray(end));
      socket.emit('frame');
    }
  });
  socket.write(Buffer.concat([PREFACE, first]));
  return {
    socket,
    received,
    send: (...frames) => void socket.write(Buffer.concat(frames)),
    until: (holds) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!holds(received) && !socket.destroyed) return;
          socket.off('frame', look).off('close', look);
          resolve();
        };
        socket.on('frame', look).on('close', look);
        look();
      }),
  };
}
