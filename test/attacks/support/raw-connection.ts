/** A TCP connection that stays open after an answer, for what an attacker sends behind it. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

export interface RawConnection {
  /** Everything that came back so far, as Latin-1 text. */
  text(): string;
  /** Whole answers so far, without 1xx. */
  answers(): WholeAnswer[];
  isClosed(): boolean;
  /** Sends the bytes; with `cuts`, in pieces that the other side reads one by one. */
  send(bytes: string, cuts?: readonly number[]): Promise<void>;
  /** When so many answers are whole, or the other side closed; rejects when neither comes about. */
  settled(count?: number): Promise<void>;
  reset(): void;
  close(): void;
}

export interface WholeAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Reached only when something hangs, which is then the failure. */
const PATIENCE_MS = 60_000;

export async function openConnection(port: number): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let text = '';
  let isClosed = false;
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  socket.once('close', () => {
    isClosed = true;
  });
  await once(socket, 'connect');

  const write = async (piece: string): Promise<void> => {
    if (!socket.writable) return;
    await new Promise((resolve) => socket.write(Buffer.from(piece, 'latin1'), resolve));
    for (let turns = 0; turns < 3; turns += 1) await turn();
  };
  return {
    text: () => text,
    answers: () => wholeAnswers(text, isClosed),
    isClosed: () => isClosed,
    async send(bytes, cuts = []) {
      const ends = [...cuts, bytes.length];
      for (const [index, end] of ends.entries()) await write(bytes.slice(ends[index - 1] ?? 0, end));
    },
    async settled(count = 1) {
      const end = Date.now() + PATIENCE_MS;
      while (!isClosed && wholeAnswers(text, isClosed).length < count) {
        if (Date.now() > end) throw new Error(`no whole answer; so far: ${JSON.stringify(text.slice(0, 200))}`);
        await turn();
      }
    },
    reset: () => socket.resetAndDestroy(),
    close: () => socket.destroy(),
  };
}

/** Reads answer after answer; one that is not whole yet is left out. */
export function wholeAnswers(text: string, isClosed: boolean): WholeAnswer[] {
  const answers: WholeAnswer[] = [];
  let rest = text;
  for (;;) {
    const cut = rest.indexOf('\r\n\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(rest)?.[1]);
    if (cut < 0 || !status) return answers;
    const head = rest.slice(0, cut);
    const behind = rest.slice(cut + 4);
    const hasBody = status >= 200 && status !== 204 && status !== 304;
    const read = hasBody ? readBody(head, behind, isClosed) : { body: '', length: 0 };
    if (!read) return answers;
    if (status >= 200 || status === 101) answers.push({ status, head, body: read.body });
    if (status === 101) return answers;
    rest = behind.slice(read.length);
  }
}

interface Body {
  readonly body: string;
  /** Bytes on the wire. */
  readonly length: number;
}

function readBody(head: string, behind: string, isClosed: boolean): Body | undefined {
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return readChunks(behind);
  const announced = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (announced === undefined) return isClosed ? { body: behind, length: behind.length } : undefined;
  const length = Number(announced);
  return behind.length >= length ? { body: behind.slice(0, length), length } : undefined;
}

const CHUNK_SIZE = /^([0-9a-f]+)\r\n/i;
/** The last chunk, and trailers. */
const LAST_CHUNK = /^0\r\n(?:[^\r]+\r\n)*\r\n/;

function readChunks(behind: string): Body | undefined {
  let body = '';
  for (let rest = behind; ; ) {
    const last = LAST_CHUNK.exec(rest)?.[0];
    if (last !== undefined) return { body, length: behind.length - rest.length + last.length };
    const [line = '', digits = ''] = CHUNK_SIZE.exec(rest) ?? [];
    const size = Number.parseInt(digits, 16);
    const end = line.length + size + 2;
    if (!size || rest.length < end) return undefined;
    body += rest.slice(line.length, line.length + size);
    rest = rest.slice(end);
  }
}
