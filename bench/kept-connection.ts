/** An HTTP/1.1 connection that asks again and again, and keeps nothing of the answers: so that the client is not what is measured. */
import { once } from 'node:events';
import { connect } from 'node:net';

export interface HttpTarget {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type KeptConnection = Awaited<ReturnType<typeof openConnection>>;

/** Read into by all connections of this thread: what is read is used up before the next read. */
const MEMORY = Buffer.allocUnsafeSlow(256 * 1024);
const LAST_CHUNK = '0\r\n\r\n';

export async function openConnection(url: string) {
  const { hostname, port } = new URL(url);
  let answer = newAnswer();
  const onBytes = (count: number): boolean => {
    const isWhole = answer.takes(MEMORY.subarray(0, count));
    if (isWhole) answer.whole.resolve();
    return true;
  };
  const onread = { buffer: MEMORY, callback: onBytes };
  const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread });
  socket.on('error', (fault) => answer.whole.reject(fault));
  socket.on('close', () => answer.whole.reject(new Error(`${url}: the connection was closed`)));
  await once(socket, 'connect');
  return {
    /** One question at a time. Resolves when the answer is whole; rejects unless its status is 2xx. */
    ask(request: string): Promise<void> {
      answer = newAnswer();
      socket.write(request, 'latin1');
      return answer.whole.promise;
    },
    close: () => void socket.destroy(),
  };
}

export function getRequest({ url, headers = {} }: HttpTarget): string {
  const { pathname, search, host } = new URL(url);
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

function newAnswer() {
  const whole = Promise.withResolvers<void>();
  whole.promise.catch(() => {}); // of a connection that is closed when nothing is asked
  let head: string | undefined = '';
  /** Bytes of the body that are still to come; undefined where chunks say when it ends. */
  let left: number | undefined;
  let tail = '';
  return {
    whole,
    /** Says whether the answer is whole. */
    takes(bytes: Buffer): boolean {
      let body = bytes;
      if (head !== undefined) {
        const before: number = head.length;
        head += bytes.toString('latin1', 0, 16 * 1024);
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return false;
        if (!/^HTTP\/1\.1 2/.test(head)) whole.reject(new Error(head.slice(0, 200)));
        const length = /\r\ncontent-length: *(\d+)/i.exec(head.slice(0, end))?.[1];
        left = length === undefined ? undefined : Number(length);
        body = bytes.subarray(end + 4 - before);
        head = undefined;
      }
      if (left !== undefined) {
        left -= body.length;
        return left <= 0;
      }
      tail = (tail + body.toString('latin1', Math.max(0, body.length - LAST_CHUNK.length))).slice(-LAST_CHUNK.length);
      return tail === LAST_CHUNK;
    },
  };
}
