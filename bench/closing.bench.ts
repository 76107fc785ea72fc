/** What another request waits while many WebSockets close at once, beside what it waits while they are open. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CARL } from '../test/support/people.ts';
import { type StartedPostern, startPostern } from './start-postern.ts';
import { startedTogether, startServer } from './start-server.ts';
import { type Finding, median, printFindings, printTable } from './table.ts';
import { openWebSockets } from './websocket-client.ts';

/** As many as one NVR is given at once, less some for the requests. */
const SOCKETS = 960;
const ROUNDS = 5;
const LOOK_MS = 500;
const CLOSING_MS = 2000;

export const benchmark = { title: `${SOCKETS} WebSockets that close at once, ${ROUNDS} rounds`, run };

interface Round {
  /** Milliseconds of the longest request. */
  readonly open: number;
  readonly closing: number;
}

async function run(): Promise<void> {
  await using servers = startedTogether();
  const upstream = await servers.keep(startServer('upstream', 1));
  // The address of each client is told by a proxy: one address alone may not open so many.
  const postern = await servers.keep(
    startPostern({ upstream: upstream.url, auth: { trusted_proxies: ['127.0.0.1'] } }),
  );
  const cookies = [postern.admin, postern.viewer, await postern.cookieOf(CARL)];
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await oneRound(postern, cookies));
  printTable(
    ['round', 'longest while open (ms)', 'longest while they close (ms)'],
    rounds.map(({ open, closing }, at) => [String(at + 1), open.toFixed(1), closing.toFixed(1)]),
  );
  const findings: Finding[] = [
    {
      what: 'milliseconds of the longest request while they close',
      seen: median(rounds.map(({ closing }) => closing)),
      goal: { atMost: 50 },
    },
  ];
  printFindings(findings);
}

async function oneRound(postern: StartedPostern, cookies: readonly { readonly cookie: string }[]): Promise<Round> {
  const each = SOCKETS / cookies.length;
  const opened = [];
  for (const [at, cookie] of cookies.entries()) {
    const headers = { ...cookie, 'x-forwarded-for': `192.0.2.${at + 1}` };
    opened.push(...(await openWebSockets({ url: `${postern.url}/ws`, headers }, each)));
  }
  const open = await longestWait(postern, LOOK_MS);
  for (const socket of opened) socket.destroy();
  return { open, closing: await longestWait(postern, CLOSING_MS) };
}

/** Asks one request after another for so long. */
async function longestWait({ url, admin }: StartedPostern, milliseconds: number): Promise<number> {
  let longest = 0;
  const until = performance.now() + milliseconds;
  while (performance.now() < until) {
    const asked = performance.now();
    await (await fetch(`${url}/auth`, { headers: admin })).arrayBuffer();
    longest = Math.max(longest, performance.now() - asked);
    await sleep(1);
  }
  return longest;
}
