/** Requests at a constant rate, whether or not answers come: each one's time runs from when it was due, so that a stall is felt by all that it held up. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface OpenLoopTarget {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface OpenLoopOptions {
  readonly perSecond: number;
  readonly seconds: number;
  /** Milliseconds before a request is due that are spent turning, for exact delays. 0 leaves the processors to what is measured. */
  readonly turning?: number;
}

export interface Delays {
  /** Milliseconds from when each request was due until its answer was there. */
  readonly answered: readonly number[];
  /** Milliseconds by which each was sent too late by this process: its own part in the delays. */
  readonly late: readonly number[];
}

/** More than are ever under way, unless the server stalls; then requests wait here, and their time runs. */
const CONNECTIONS = 32;

interface Kept {
  readonly socket: Socket;
  /** Of the request that is under way. */
  due: number;
  received: string;
}

export async function openLoop(
  target: OpenLoopTarget,
  { perSecond, seconds, turning = TIMER_LATE_MS }: OpenLoopOptions,
): Promise<Delays> {
  const request = requestText(target);
  const answered: number[] = [];
  const late: number[] = [];
  const waiting: number[] = [];
  const free: Kept[] = [];
  const total = perSecond * seconds;
  const send = (kept: Kept, due: number): void => {
    kept.due = due;
    kept.received = '';
    kept.socket.write(request);
  };
  const onAnswer = (kept: Kept): void => {
    answered.push(performance.now() - kept.due);
    const due = waiting.shift();
    if (due === undefined) free.push(kept);
    else send(kept, due);
  };
  const all = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(target.url, onAnswer)));
  free.push(...all);

  const begin = performance.now();
  for (let sent = 0; sent < total; ) {
    const due = begin + (sent * 1000) / perSecond;
    // A timer is up to a millisecond late, which is what is to be measured: the last of the wait is spent turning. All of it would
    // take a processor from those that are measured.
    const wait = due - performance.now() - turning;
    if (wait > (turning > 0 ? 1 : 0)) await sleep(wait);
    while (turning > 0 && performance.now() < due) await nextTurn();
    late.push(performance.now() - due);
    const kept = free.shift();
    if (kept) send(kept, due);
    else waiting.push(due);
    sent += 1;
  }
  const patience = performance.now() + PATIENCE_MS;
  while (answered.length < total && performance.now() < patience) await nextTurn();
  for (const { socket } of all) socket.destroy();
  if (answered.length < total) throw new Error(`${target.url}: ${total - answered.length} requests were not answered`);
  return { answered, late };
}

const PATIENCE_MS = 10_000;
const TIMER_LATE_MS = 1.5;

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

async function open(url: string, onAnswer: (kept: Kept) => void): Promise<Kept> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  const kept: Kept = { socket, due: 0, received: '' };
  socket.on('data', (chunk: Buffer) => {
    kept.received += chunk.toString('latin1');
    if (isWhole(kept.received, url)) onAnswer(kept);
  });
  return kept;
}

/** Answers here are small, and say how long they are. */
function isWhole(received: string, url: string): boolean {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(received)?.[1];
  if (!/^HTTP\/1\.1 2/.test(received) || length === undefined) throw new Error(`${url}: ${received.slice(0, 200)}`);
  return received.length >= end + 4 + Number(length);
}

function requestText({ url, headers = {} }: OpenLoopTarget): string {
  const { pathname, host } = new URL(url);
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
