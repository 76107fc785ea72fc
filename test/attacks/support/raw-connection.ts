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
const PATIENCE_MS = 8_000;

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
    const length = status < 200 || status === 204 || status === 304 ? 0 : bodyLength(head, behind, isClosed);
    if (length === undefined) return answers;
    if (status >= 200 || status === 101) answers.push({ status, head, body: behind.slice(0, length) });
    if (status === 101) return answers;
    rest = behind.slice(length);
  }
}

const CHUNK = /([0-9a-f]+)\r\n/iy;

function bodyLength(head: string, behind: string, isClosed: boolean): number | undefined {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return behind.length >= Number(length) ? Number(length) : undefined;
  if (!/\r\ntransfer-encoding: *chunked/i.test(head)) return isClosed ? behind.length : undefined;
  for (let at = 0; ; ) {
    CHUNK.lastIndex = at;
    const size = CHUNK.exec(behind)?.[1];
    if (size === undefined) return undefined;
    at = CHUNK.lastIndex + Number.parseInt(size, 16) + 2;
    if (Number.parseInt(size, 16) !== 0) continue;
    const end = behind.slice(CHUNK.lastIndex).startsWith('\r\n') ? at : behind.indexOf('\r\n\r\n', CHUNK.lastIndex) + 4;
    return end >= 4 && end <= behind.length ? end : undefined;
  }
}
