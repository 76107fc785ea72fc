/** Bytes over TCP, as an attacker writes them, and what came back. */
import { connect } from 'node:net';

export interface RawAnswer {
  /** The first status that is not 1xx; undefined when the connection closed without one. */
  readonly status: number | undefined;
  /** Everything that came back, as Latin-1 text. */
  readonly text: string;
}

/** The longest wait for an answer: reached only when something hangs, which is then the failure. */
const PATIENCE_MS = 60_000;

/** Sends the bytes and reads until the answer is whole, the peer closes, or patience ends. */
export function rawRequest(port: number, bytes: string, host = '127.0.0.1'): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host);
    let text = '';
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no whole answer within ${PATIENCE_MS} ms; so far: ${JSON.stringify(text.slice(0, 200))}`));
    }, PATIENCE_MS);
    const finish = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ status: finalStatus(text), text });
    };
    socket.on('connect', () => socket.write(Buffer.from(bytes, 'latin1')));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (isWhole(text)) finish();
    });
    socket.on('error', finish);
    socket.on('close', finish);
  });
}

const INTERIM = /^HTTP\/1\.1 1\d\d [^\r]*\r\n(?:[^\r]+\r\n)*\r\n/;

function withoutInterim(text: string): string {
  let rest = text;
  while (INTERIM.test(rest) && !rest.startsWith('HTTP/1.1 101')) rest = rest.replace(INTERIM, '');
  return rest;
}

function finalStatus(text: string): number | undefined {
  const found = /^HTTP\/1\.[01] (\d{3})/.exec(withoutInterim(text));
  return found ? Number(found[1]) : undefined;
}

function isWhole(text: string): boolean {
  const answer = withoutInterim(text);
  const cut = answer.indexOf('\r\n\r\n');
  if (cut < 0) return false;
  const head = answer.slice(0, cut);
  const body = answer.slice(cut + 4);
  if (/^HTTP\/1\.1 (?:101|204|304)/.test(head)) return true;
  const length = /\r\ncontent-length: (\d+)/i.exec(head);
  if (length) return body.length >= Number(length[1]);
  return /\r\ntransfer-encoding: chunked/i.test(head) && /(?:^|\n)0\r\n(?:[^\r]+\r\n)*\r\n$/.test(body);
}
