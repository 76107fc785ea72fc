/** What others feel while each sync of the disk takes 100 ms longer: the delays of small requests beside viewers and logins. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CARL, VERA } from '../../test/support/people.ts';
import { slowDisk, withoutSlowDisk } from '../../test/support/servers/slow-disk.ts';
import { showProgress } from '../load.ts';
import { openLoop } from '../open-loop.ts';
import { type StartedPostern, startPostern } from '../start-postern.ts';
import { startedTogether, startServer } from '../start-server.ts';
import { type Finding, median, printTable, quantile } from '../table.ts';

const SLOWER_MS = 100;
const ROUNDS = 3;
const RATE = { perSecond: 200, seconds: 6 };
/** A change of each person every so often. */
const LOGIN_EVERY_MS = 500;
const SEGMENT_EVERY_MS = 1000;
const SEGMENT = '/recordings/2026-11-20/10/cam1/00.00.mp4';
/** Milliseconds by which a slow disk may be felt. */
const FELT_MS = 10;

interface Felt {
  readonly p99: number;
  readonly longest: number;
  readonly login: number;
}

export async function slowDiskFindings(): Promise<readonly Finding[]> {
  if (withoutSlowDisk) {
    console.log(`a slow disk is not measured: it ${withoutSlowDisk}\n`);
    return [];
  }
  const felt = new Map<number, Felt[]>([0, SLOWER_MS].map((each) => [each, []]));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [milliseconds, rounds] of felt) {
      showProgress(`a disk that is ${milliseconds} ms slower, round ${round + 1}`);
      rounds.push(await besideSlowDisk(milliseconds));
    }
  showProgress('');
  const [quick = [], slow = []] = [...felt.values()];
  const of = (rounds: readonly Felt[], figure: keyof Felt): number => median(rounds.map((each) => each[figure]));
  const names: readonly (keyof Felt)[] = ['p99', 'longest', 'login'];
  printTable(
    ['small requests beside a viewer and two logins a second, ms', 'p99', 'longest', 'a login, median'],
    [...felt].map(([milliseconds, rounds]) => [
      `each sync of the disk ${milliseconds} ms longer`,
      ...names.map((figure) => of(rounds, figure).toFixed(1)),
    ]),
  );
  console.log();
  return (['p99', 'longest'] as const).map((figure) => ({
    what: `a slow disk is felt by others, ${figure}`,
    seen: of(slow, figure) - of(quick, figure),
    unit: 'ms',
    goal: { atMost: FELT_MS },
  }));
}

async function besideSlowDisk(milliseconds: number): Promise<Felt> {
  await using servers = startedTogether();
  const upstream = await servers.keep(startServer('upstream', 1));
  const env = slowDisk(milliseconds);
  const postern = await servers.keep(startPostern({ upstream: upstream.url, env }));
  const stopped = new AbortController();
  const logins: number[] = [];
  const carl = await postern.cookieOf(CARL);
  const others = [
    every(LOGIN_EVERY_MS, stopped.signal, () => timedLogin(postern, logins)),
    every(SEGMENT_EVERY_MS, stopped.signal, () => fetch(`${postern.url}${SEGMENT}`, { headers: carl })),
  ];
  const { answered } = await openLoop({ url: `${postern.url}/api/version`, headers: postern.viewer }, RATE);
  stopped.abort();
  await Promise.all(others);
  return { p99: quantile(answered, 0.99), longest: Math.max(...answered), login: median(logins) };
}

async function timedLogin({ cookieOf }: StartedPostern, logins: number[]): Promise<void> {
  const begun = performance.now();
  await cookieOf(VERA);
  logins.push(performance.now() - begun);
}

async function every(milliseconds: number, stopped: AbortSignal, act: () => Promise<unknown>): Promise<void> {
  const acts: Promise<unknown>[] = [];
  for (; !stopped.aborted; await sleep(milliseconds)) acts.push(act());
  await Promise.all(acts);
}
