/** What clients do in the soak: each visit ends well, or badly, or with the client leaving at some moment. */
import { once } from 'node:events';
import { type Agent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../random.ts';
import { openWebSocket } from '../websocket-client.ts';
import { CLIENT_FRAME } from '../websocket-frames.ts';

export interface Visitor {
  readonly url: string;
  readonly viewer: { readonly cookie: string };
  readonly restricted: { readonly cookie: string };
  readonly random: Random;
  readonly agent: Agent;
}

/** A status, or how it ended without one. */
export type Outcome = number | 'left' | 'broken' | 'looked whole';

export interface RequestContext {
  readonly name: string;
  readonly weight: number;
  readonly pay: (visitor: Visitor) => Promise<Outcome>;
}

const RECORDING = '/recordings/2026-11-20/10/cam1/00.00.mp4';

// biome-ignore format: a table
export const VISITS: readonly RequestContext[] = [
  { name: 'asks',                weight: 30, pay: (visitor) => ask(visitor, '/api/version', visitor.viewer) },
  { name: 'asks /auth',          weight: 5,  pay: (visitor) => ask(visitor, '/auth', visitor.viewer) },
  { name: 'asks, a stranger',    weight: 3,  pay: (visitor) => ask(visitor, '/api/version', {}) },
  { name: 'lists, narrowed',     weight: 8,  pay: (visitor) => ask(visitor, '/api/events', visitor.restricted) },
  { name: 'reads configuration', weight: 4,  pay: (visitor) => ask(visitor, '/api/config', visitor.viewer) },
  { name: 'downloads',           weight: 12, pay: (visitor) => ask(visitor, RECORDING, visitor.viewer) },
  { name: 'watches a stream',    weight: 8,  pay: (visitor) => ask(visitor, '/api/cam1', visitor.viewer, 3000) },
  { name: 'uploads',             weight: 10, pay: upload },
  { name: 'fails to log in',     weight: 2,  pay: failToLogIn },
  { name: 'opens a WebSocket',   weight: 8,  pay: (visitor) => talk(visitor, '/live/mse/api/ws?src=cam1') },
  { name: 'opens a judged one',  weight: 8,  pay: (visitor) => talk(visitor, '/ws') },
  { name: 'breaks a handshake',  weight: 4,  pay: breakHandshake },
  { name: 'sends nonsense',      weight: 2,  pay: sendNonsense },
];

const MOST_PATIENCE_MS = 30_000;

/** One in four leaves: before the answer, in its midst, or of an endless stream in the end. */
function ask(visitor: Visitor, path: string, headers: Record<string, string>, leavesWithin = 40): Promise<Outcome> {
  const isLeaving = leavesWithin > 40 || visitor.random.chance(0.25);
  return send(visitor, { path, headers }, isLeaving ? leavesWithin : undefined);
}

function upload(visitor: Visitor): Promise<Outcome> {
  const { random, viewer } = visitor;
  const body = Buffer.alloc(random.below(3_000_000), 'u');
  const expect = random.chance(0.2) ? { expect: '100-continue' } : {};
  const headers = { ...viewer, 'content-type': 'application/octet-stream', 'content-length': body.length, ...expect };
  const isLeaving = random.chance(0.3);
  return send(visitor, { path: '/api/cam1/search/motion', method: 'POST', headers }, isLeaving ? 40 : undefined, body);
}

function failToLogIn(visitor: Visitor): Promise<Outcome> {
  const body = Buffer.from(JSON.stringify({ user: 'vera', password: 'not the password' }));
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  return send(visitor, { path: '/api/login', method: 'POST', headers }, undefined, body);
}

function send(
  { url, random, agent }: Visitor,
  options: RequestOptions,
  leavesWithin?: number,
  body?: Buffer,
): Promise<Outcome> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const request = httpRequest({ ...options, hostname, port, agent: random.chance(0.2) ? false : agent });
    const leave = setTimeout(
      () => {
        resolve(leavesWithin === undefined ? 'broken' : 'left');
        if (random.chance(0.5)) request.socket?.resetAndDestroy();
        request.destroy();
      },
      leavesWithin === undefined ? MOST_PATIENCE_MS : random.below(leavesWithin),
    );
    const end = (outcome: Outcome): void => {
      clearTimeout(leave);
      resolve(outcome);
    };
    request.on('error', () => end('broken'));
    request.on('response', (answer: IncomingMessage) => {
      answer.on('error', () => {});
      answer.on('close', () => end(outcomeOf(answer)));
      answer.resume();
    });
    request.end(body);
  });
}

/** What the NVR cut off must not look whole. */
function outcomeOf(answer: IncomingMessage): Outcome {
  if (!answer.complete) return 'broken';
  return answer.headers['x-fate'] === undefined ? (answer.statusCode ?? 0) : 'looked whole';
}

async function talk({ url, viewer, random }: Visitor, path: string): Promise<Outcome> {
  const socket = await openWebSocket({ url: `${url}${path}`, headers: viewer }).catch(() => undefined);
  if (!socket) return 'broken';
  socket.resume();
  for (let left = random.below(20); left > 0 && !socket.destroyed; left -= 1) {
    socket.write(CLIENT_FRAME);
    await sleep(random.below(50));
  }
  if (socket.destroyed) return 'broken';
  await leave(socket, random);
  return 'left';
}

/** With a close frame, with the end of the stream, or with a reset. */
async function leave(socket: Socket, random: Random): Promise<void> {
  const closed = once(socket, 'close').catch(() => {});
  if (random.chance(0.3)) socket.resetAndDestroy();
  else if (random.chance(0.5)) socket.end(CLOSE_FRAME);
  else socket.end();
  const patience = sleep(MOST_PATIENCE_MS, undefined, { ref: false });
  await Promise.race([closed, patience]);
  socket.destroy();
}

/** 1000, masked with zeros (RFC 6455 5.5.1). */
const CLOSE_FRAME = Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8]);

async function breakHandshake({ url, viewer, random }: Visitor): Promise<Outcome> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  const head = `GET /ws HTTP/1.1\r\nhost: ${host}\r\ncookie: ${viewer.cookie}\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;
  socket.write(head.slice(0, random.chance(0.5) ? undefined : random.below(head.length)));
  await sleep(random.below(20));
  socket.resetAndDestroy();
  return 'left';
}

async function sendNonsense({ url, random }: Visitor): Promise<Outcome> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  socket.resume().write(Buffer.from(Array.from({ length: 200 }, () => random.below(256))));
  const closed = once(socket, 'close').catch(() => {});
  await Promise.race([closed, sleep(500)]);
  socket.destroy();
  return 'left';
}
