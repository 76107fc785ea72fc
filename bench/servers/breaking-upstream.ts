/** An NVR that breaks at random: resets, cut answers, stalls, nonsense, and times when it is not there. Its argument is the seed. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createRandom } from '../random.ts';
import { answerUpgrade } from './echo-frames.ts';

const random = createRandom(Number(process.argv[2] ?? 1));
const EVENTS = JSON.stringify(['cam1', 'cam2'].map((camera) => ({ id: `1-${camera}`, camera, label: 'person' })));
const CONFIG = JSON.stringify({ cameras: { cam1: {}, cam2: {} }, auth: {}, proxy: {} });
const SMALL = JSON.stringify({ version: '0.18.0' });
const JSON_AT: Readonly<Record<string, string>> = { '/api/events': EVENTS, '/api/config': CONFIG };
const CHUNK = Buffer.alloc(16 * 1024, 'x');

interface Fate {
  readonly name: string;
  readonly weight: number;
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void;
}

// biome-ignore format: a table
const FATES: readonly Fate[] = [
  { name: 'whole',          weight: 60, answer: answerWhole },
  { name: 'slow',           weight: 10, answer: (request, response) => later(1000, () => answerWhole(request, response)) },
  { name: 'reset',          weight: 5,  answer: (request) => resetSocket(request.socket) },
  { name: 'closed',         weight: 3,  answer: (request) => request.socket.end() },
  { name: 'cut-length',     weight: 5,  answer: (request, response) => cut(request, response, { 'content-length': CHUNK.length * 8 }, false) },
  { name: 'cut-chunked',    weight: 5,  answer: (request, response) => cut(request, response, {}, false) },
  { name: 'cut-reset',      weight: 5,  answer: (request, response) => cut(request, response, {}, true) },
  { name: 'stalled',        weight: 2,  answer: () => {} },
  { name: 'stalled-midway', weight: 2,  answer: (_request, response) => void response.writeHead(200, { 'x-fate': 'cut' }).write(CHUNK) },
  { name: 'nonsense',       weight: 3,  answer: (request) => request.socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!') },
];

const server = createServer({ requestTimeout: 0, keepAliveTimeout: 2_000 });
server.on('request', (request, response) => {
  request.on('error', () => {});
  response.on('error', () => {});
  random.pick(FATES).answer(request, response);
});

function answerWhole(request: IncomingMessage, response: ServerResponse): void {
  const { pathname } = new URL(request.url ?? '/', 'http://upstream');
  const isBusy = random.chance(0.2); // answers before the upload is there, and does not read it
  if (request.method === 'POST' && !isBusy) request.resume();
  if (pathname === '/api/cam1') stream(response);
  else if (pathname.startsWith('/recordings/')) sendBody(response);
  else sendJson(response, JSON_AT[pathname] ?? SMALL);
}

function sendBody(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'video/mp4' });
  for (let left = random.below(64); left > 0; left -= 1) response.write(CHUNK);
  response.end();
}

function sendJson(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length }).end(text);
}

/** Pictures until the client leaves, or it is broken. */
function stream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=frame', 'x-fate': 'endless' });
  const timer = setInterval(() => response.write(CHUNK), 50);
  later(5000, () => response.destroy());
  response.once('close', () => clearInterval(timer));
}

function cut(
  request: IncomingMessage,
  response: ServerResponse,
  headers: Record<string, number>,
  isReset: boolean,
): void {
  response.writeHead(200, { 'content-type': 'video/mp4', 'x-fate': 'cut', ...headers });
  response.write(CHUNK, () => later(50, () => (isReset ? resetSocket(request.socket) : request.socket.end())));
}

function later(atMostMilliseconds: number, act: () => void): void {
  setTimeout(act, random.below(atMostMilliseconds));
}

function resetSocket(socket: Duplex): void {
  (socket as Socket).resetAndDestroy();
}

server.on('upgrade', (request, socket, head) => {
  socket.on('error', () => {});
  if (random.chance(0.1)) return void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
  if (random.chance(0.05)) return void resetSocket(socket);
  if (random.chance(0.03)) return; // says nothing
  answerUpgrade(request, socket);
  if (head.length > 0) socket.unshift(head);
  if (random.chance(0.3)) later(3000, () => (random.chance(0.5) ? resetSocket(socket) : socket.end()));
});

/** Gone for a while, with all its connections: then it refuses. */
const AWAY_EVERY_MS = 20_000;
const AWAY_MS = 1_500;
const sockets = new Set<Socket>();
server.on('connection', (socket) => {
  sockets.add(socket);
  socket.on('error', () => {});
  socket.once('close', () => sockets.delete(socket));
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(port);
  setInterval(() => {
    server.close();
    for (const socket of sockets) resetSocket(socket);
    setTimeout(() => server.listen(port, '127.0.0.1'), AWAY_MS);
  }, AWAY_EVERY_MS);
});
