/** Requests at a constant rate, whether or not answers come: each one's time runs from when it was due, so that a stall is felt by all that it held up. */
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequest, type HttpTarget, type KeptConnection, openConnection } from './kept-connection.ts';

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

export async function openLoop(
  target: HttpTarget,
  { perSecond, seconds, turning = TIMER_LATE_MS }: OpenLoopOptions,
): Promise<Delays> {
  const request = getRequest(target);
  const answered: number[] = [];
  const late: number[] = [];
  const waiting: number[] = [];
  const total = perSecond * seconds;
  const send = async (connection: KeptConnection, first: number): Promise<void> => {
    for (let due: number | undefined = first; due !== undefined; due = waiting.shift()) {
      await connection.ask(request);
      answered.push(performance.now() - due);
    }
    free.push(connection);
  };
  const all = await Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(target.url)));
  // A first request may wait its turn behind those of a crowd that has just come: these are of people who were there before.
  for (const { ask } of all) await ask(request);
  const free = [...all];

  const begin = performance.now();
  for (let sent = 0; sent < total; ) {
    const due = begin + (sent * 1000) / perSecond;
    // A timer is up to a millisecond late, which is what is to be measured: the last of the wait is spent turning. All of it would
    // take a processor from those that are measured.
    const wait = due - performance.now() - turning;
    if (wait > (turning > 0 ? 1 : 0)) await sleep(wait);
    while (turning > 0 && performance.now() < due) await nextTurn();
    late.push(performance.now() - due);
    const connection = free.shift();
    if (connection) void send(connection, due);
    else waiting.push(due);
    sent += 1;
  }
  const patience = performance.now() + PATIENCE_MS;
  while (answered.length < total && performance.now() < patience) await nextTurn();
  for (const { close } of all) close();
  if (answered.length < total) throw new Error(`${target.url}: ${total - answered.length} requests were not answered`);
  return { answered, late };
}

const PATIENCE_MS = 10_000;
const TIMER_LATE_MS = 1.5;

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
