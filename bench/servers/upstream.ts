/**
 * An NVR as fast as Node gives it: small and large JSON, long bodies, WebSockets that echo. Its argument: on how many ports, which
 * it prints.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { announce } from './announce.ts';
import { answerUpgrade } from './echo-frames.ts';

const JSON_BODY = JSON.stringify({ service: { version: '0.18.0', uptime: 100 }, cameras: { cam1: { fps: 5 } } });
const CHUNK = Buffer.alloc(64 * 1024, 'x');

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://upstream');
  if (searchParams.has('bytes')) return void sendBody(response, Number(searchParams.get('bytes')));
  if (request.method === 'POST') return void swallow(request, response);
  const body = LARGE[pathname]?.(Number(searchParams.get('limit') ?? 100)) ?? JSON_BODY;
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
}

/** As long as the NVR's own: some 700 bytes an event, 9 KB a camera. Made when it is first asked for. */
const LARGE: Readonly<Record<string, (count: number) => Buffer>> = {
  '/api/events': keptByCount((count) => Array.from({ length: count }, (_, at) => event(at))),
  '/api/config': keptByCount((count) => ({ cameras: Object.fromEntries(Array.from({ length: count }, camera)) })),
};

function keptByCount(make: (count: number) => unknown): (count: number) => Buffer {
  const kept = new Map<number, Buffer>();
  return (count) => {
    const body = kept.get(count) ?? Buffer.from(JSON.stringify(make(count)));
    kept.set(count, body);
    return body;
  };
}

const event = (at: number) => ({
  id: `${1_700_000_000 + at}.5-event`,
  camera: `cam${(at % 4) + 1}`,
  label: 'person',
  zones: ['porch', 'yard'],
  start_time: 1_700_000_000 + at,
  end_time: 1_700_000_009 + at,
  has_clip: true,
  has_snapshot: true,
  data: { box: [0.1, 0.2, 0.3, 0.4], score: 0.8, top_score: 0.9, attributes: [], path_data: [[0.5, 0.5], at] },
  thumbnail: 'x'.repeat(300),
});

const camera = (_: unknown, at: number) =>
  [
    `cam${at + 1}`,
    Object.fromEntries(
      Array.from({ length: 40 }, (_, section) => [
        `section${section}`,
        {
          enabled: true,
          filters: { person: { min_area: section, max_area: 24_000_000, threshold: 0.7 } },
          mask: '',
          days: [],
        },
      ]),
    ),
  ] as const;

/** As nginx does, it sends two megabytes at most before it looks at other connections (`sendfile_max_chunk`). */
const MOST_IN_TURN = 2 * 1024 * 1024;

function sendBody(response: ServerResponse, bytes: number): void {
  response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': bytes });
  let left = bytes;
  let inTurn = 0;
  const send = (): void => {
    while (left > 0 && !response.destroyed) {
      if (inTurn >= MOST_IN_TURN) {
        inTurn = 0;
        return void setImmediate(send);
      }
      const chunk = left >= CHUNK.length ? CHUNK : CHUNK.subarray(0, left);
      left -= chunk.length;
      inTurn += chunk.length;
      // What the kernel takes at once drains in the same turn.
      if (!response.write(chunk)) return void response.once('drain', send);
    }
    response.end();
  };
  send();
}

function swallow(request: IncomingMessage, response: ServerResponse): void {
  request.resume().once('end', () => response.writeHead(200, { 'content-length': 0 }).end());
}

for (let port = Number(process.argv[2] ?? 1); port > 0; port -= 1)
  announce(createServer(answer).on('upgrade', answerUpgrade));
