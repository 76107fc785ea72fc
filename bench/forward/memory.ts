/** What the gate's process holds in memory: idle, with thousands of idle WebSockets, and with a slow reader of 10 GB. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMegabytes } from '../machine.ts';
import { type StartedPostern, startPostern } from '../start-postern.ts';
import { startedTogether, startServer } from '../start-server.ts';
import { type Finding, findingOf, printTable } from '../table.ts';
import { openWebSockets } from '../websocket-client.ts';

const SOCKETS = 5_000;
const SETTLE_MS = 3_000;
const BODY_BYTES = 10_000_000_000;
const READ_SECONDS = 15;
const WARM_UP_SECONDS = 3;
const SIP_MS = 20;
/** Read in each 20 ms, while much more is offered: 5 MB/s, as over a good radio link. */
const SIP_BYTES = 100_000;

interface Part {
  readonly what: string;
  readonly before: number;
  readonly after: number;
}

/** Of three fresh ones: the first figure that a visitor of the machine sees. */
export async function measureIdle(): Promise<Finding[]> {
  const seen = [await withPostern(idleMemory), await withPostern(idleMemory), await withPostern(idleMemory)];
  return [{ ...findingOf('memory, idle', seen, { atMost: 85 }), unit: 'MB' }];
}

export async function measureMemory(): Promise<Finding[]> {
  const idle = await withPostern(idleMemory);
  const passed = await withPostern((postern) => socketMemory(postern, '/live/mse/api/ws?src=cam1'));
  const judged = await withPostern((postern) => socketMemory(postern, '/ws'));
  const slow = await withPostern((postern) => readerMemory(postern, SIP_BYTES));
  const fast = await withPostern((postern) => readerMemory(postern, Number.POSITIVE_INFINITY));
  const parts: Part[] = [
    { what: 'idle, started', before: 0, after: idle },
    { what: `${SOCKETS} idle WebSockets, passed through`, ...passed },
    { what: `${SOCKETS} idle WebSockets, each message judged`, ...judged },
    { what: `slow reader of 10 GB, ${READ_SECONDS} s at 5 MB/s`, ...slow },
    { what: 'the same as fast as it comes', ...fast },
  ];
  console.log("Resident memory of the gate's process\n");
  printTable(
    ['', 'before MB', 'after MB', 'more MB'],
    parts.map(({ what, before, after }) => [
      what,
      ...[before, after, after - before].map((megabytes) => megabytes.toFixed(0)),
    ]),
  );
  console.log();
  return [
    { what: 'memory, idle', seen: idle, unit: 'MB', goal: { atMost: 85 } },
    { what: 'memory of 5,000 idle WebSockets', seen: passed.after - passed.before, unit: 'MB', goal: { atMost: 200 } },
    { what: 'the same, each message judged', seen: judged.after - judged.before, unit: 'MB', goal: { atMost: 200 } },
    { what: 'memory of a slow reader of 10 GB', seen: slow.after - slow.before, unit: 'MB', goal: { atMost: 30 } },
  ];
}

/** A new one for each part: what one has grown to must not be another's beginning. */
async function withPostern<Result>(measure: (postern: StartedPostern) => Promise<Result>): Promise<Result> {
  await using servers = startedTogether();
  const upstream = await servers.keep(startServer('upstream', 1));
  return await measure(await servers.keep(startPostern({ upstream: upstream.url })));
}

async function idleMemory({ pid }: StartedPostern): Promise<number> {
  await sleep(SETTLE_MS);
  return residentMegabytes(pid);
}

async function socketMemory(postern: StartedPostern, path: string): Promise<Omit<Part, 'what'>> {
  await sleep(SETTLE_MS);
  const before = residentMegabytes(postern.pid);
  const sockets = await openWebSockets({ url: `${postern.url}${path}`, headers: postern.viewer }, SOCKETS);
  await sleep(SETTLE_MS);
  const after = residentMegabytes(postern.pid);
  for (const socket of sockets) socket.destroy();
  return { before, after };
}

/** The most that it was while the reader sipped; what any traffic makes a new process grow to is there before. */
async function readerMemory(postern: StartedPostern, sipBytes: number): Promise<Omit<Part, 'what'>> {
  await read(postern, WARM_UP_SECONDS, Number.POSITIVE_INFINITY);
  await sleep(SETTLE_MS);
  const before = residentMegabytes(postern.pid);
  let most = 0;
  const watching = setInterval(() => {
    most = Math.max(most, residentMegabytes(postern.pid));
  }, SIP_MS);
  const bytes = await read(postern, READ_SECONDS, sipBytes);
  clearInterval(watching);
  if (bytes < SIP_BYTES) throw new Error(`the long answer did not come: ${bytes} bytes`);
  return { before, after: most };
}

/** Reads so much in each 20 ms, and then leaves. Gives the bytes that it had. */
async function read({ url, viewer }: StartedPostern, seconds: number, sipBytes: number): Promise<number> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  let [bytes, sip] = [0, 0];
  socket.on('data', (chunk) => {
    bytes += chunk.length;
    sip += chunk.length;
    if (sip >= sipBytes) socket.pause();
  });
  const sipping = setInterval(() => {
    sip = 0;
    socket.resume();
  }, SIP_MS);
  const path = `/recordings/2026-11-20/10/cam1/00.00.mp4?bytes=${BODY_BYTES}`;
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\ncookie: ${viewer.cookie}\r\n\r\n`);
  await sleep(seconds * 1000);
  clearInterval(sipping);
  socket.destroy();
  return bytes;
}
