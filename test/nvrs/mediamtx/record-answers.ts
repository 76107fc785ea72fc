/** What a real MediaMTX answers, kept in a file for the tests that have none: `RECORD_ANSWERS=1` with the slow test writes it anew. */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Things } from './cases.ts';

export interface RecordedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers by server, method and target: `hls GET /porch/`. */
export interface Recording {
  readonly things: Things;
  readonly answers: Readonly<Record<string, RecordedAnswer>>;
}

const FILE = join(import.meta.dirname, 'answers.json');
export const readRecording = (): Recording => JSON.parse(readFileSync(FILE, 'utf8'));

const KEPT_HEADERS = ['content-type', 'location', 'set-cookie', 'link'];
/** Bytes of pictures and scripts that are kept: what is in them does not matter. */
const LONGEST_OF_OTHERS = 80;
const IS_READ = /json|mpegurl|sdp/;

export interface Recorder {
  /** The address of a server that asks the real one, and keeps what it answers. */
  front(name: string, url: string): Promise<string>;
  close(things: Things): void;
}

export function createRecorder(): Recorder {
  const answers: Record<string, RecordedAnswer> = {};
  const closing: (() => void)[] = [];
  return {
    async front(name, url) {
      const server = createServer(async (request, response) => {
        const sent = httpRequest(url + request.url, { method: request.method, headers: request.headers });
        request.pipe(sent);
        const [real] = (await once(sent, 'response')) as [IncomingMessage];
        const got = await buffer(real);
        const kept = Object.fromEntries(
          KEPT_HEADERS.flatMap((name) => (real.headers[name] ? [[name, String(real.headers[name])]] : [])),
        );
        const isRead = IS_READ.test(real.headers['content-type'] ?? '');
        answers[`${name} ${request.method} ${request.url}`] = {
          status: real.statusCode ?? 0,
          headers: kept,
          body: got.subarray(0, isRead ? got.length : LONGEST_OF_OTHERS).toString('latin1'),
        };
        response.writeHead(real.statusCode ?? 0, { ...kept, 'content-length': got.length }).end(got);
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      closing.push(() => server.close());
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    close(things) {
      for (const close of closing) close();
      const sorted = Object.fromEntries(Object.entries(answers).sort(([one], [other]) => (one < other ? -1 : 1)));
      writeFileSync(FILE, `${JSON.stringify({ things, answers: sorted }, null, 1)}\n`);
    },
  };
}
