/** What clients hold that do not read, or send many requests ahead: connections at the NVR, and memory of the gate. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { MOST_UNDER_WAY } from '../src/gateway/decision/client-limits.ts';
import { residentMegabytes } from './machine.ts';
import { startPostern } from './start-postern.ts';
import { startedTogether } from './start-server.ts';
import { type Finding, printFindings } from './table.ts';

const SLOW_READERS = 1500;
const AHEAD = 4000;
const SETTLE_SECONDS = 5;
const CHUNK = Buffer.alloc(64 * 1024);
/** At 1,500 readers without bounds it was 390. */
const MOST_MEGABYTES = 250;

export const benchmark = {
  title: `${SLOW_READERS} clients that do not read, ${AHEAD} requests on one connection`,
  run,
};

async function run(): Promise<void> {
  await using servers = startedTogether();
  const nvr = createServer((_request, response) => stream(response)).listen(0, '127.0.0.1');
  await once(nvr, 'listening');
  const postern = await servers.keep(
    startPostern({ upstream: `http://127.0.0.1:${(nvr.address() as AddressInfo).port}`, nvr: { cameras: ['cam1'] } }),
  );
  const { port } = new URL(postern.url);
  const head = (...lines: readonly string[]): string => [...lines, 'Host: nvr', '', ''].join('\r\n');
  /** Connections at the NVR and megabytes more than before, while `clients` are open. */
  const held = async (clients: readonly Socket[]): Promise<readonly [connections: number, megabytes: number]> => {
    const before = residentMegabytes(postern.pid);
    await sleep(SETTLE_SECONDS * 1000);
    const connections = await new Promise<number>((resolve) => nvr.getConnections((_, count) => resolve(count)));
    const more = residentMegabytes(postern.pid) - before;
    for (const client of clients) client.destroy();
    nvr.closeAllConnections();
    await sleep(1000);
    return [connections, more];
  };
  const open = (bytes: string): Socket => {
    const client = connect(Number(port), '127.0.0.1').on('error', () => {});
    client.pause().write(bytes);
    return client;
  };

  const ahead = await held([open(head('GET /assets/x.js HTTP/1.1').repeat(AHEAD))]);
  const video = head('GET /vod/cam1/start/1/end/2/x.mp4 HTTP/1.1', `Cookie: ${postern.viewer.cookie}`);
  const readers = await held(Array.from({ length: SLOW_READERS }, () => open(video)));
  nvr.close();
  const most = MOST_UNDER_WAY.ofCaller;
  printFindings([
    finding('connections at the NVR, requests ahead', ahead[0], 2),
    finding('memory of the gate, requests ahead', ahead[1], 30, 'MB'),
    finding('connections at the NVR, slow readers', readers[0], most + 2),
    finding('memory of the gate, slow readers', readers[1], MOST_MEGABYTES, 'MB'),
  ]);
}

const finding = (what: string, seen: number, atMost: number, unit = ''): Finding => ({
  what,
  seen,
  unit,
  goal: { atMost },
});

/** Video without end, as fast as it is taken. */
function stream(response: ServerResponse): void {
  const go = (): void => {
    while (!response.destroyed && response.write(CHUNK));
    response.once('drain', go);
  };
  response.writeHead(200, { 'content-type': 'video/mp4' });
  go();
}
