/** What forwarding feels of a flood of wrong passwords: 500 forwarded requests a second, 100 logins a second beside them. */

import { startFastUpstream } from '../forward/fast-upstream.ts';
import { roundsOf } from '../load.ts';
import { openLoop } from '../open-loop.ts';
import { startPostern } from '../start-postern.ts';
import { startedTogether } from '../start-server.ts';
import { type Finding, median, printTable, quantile } from '../table.ts';

const ROUNDS = 3;
const LOAD = { perSecond: 500, seconds: 5 };
const LOGINS_PER_SECOND = 100;
const SMALL = '/api/version';

interface Flood {
  readonly name: string;
  /** Where a login says that it comes from; undefined: there are none. */
  readonly addressOf?: (count: number) => string;
}

/**
 * Whoever is limited costs no hash; from many addresses, each with fewer failures than the limit, every login asks for
 * one, until the line is full.
 */
const FLOODS: readonly Flood[] = [
  { name: 'nobody logs in' },
  { name: 'from one address', addressOf: () => '203.0.113.7' },
  { name: 'from many addresses', addressOf: (count) => `198.18.${(count >> 8) & 255}.${count & 255}` },
];

interface Figures {
  readonly p50: number;
  readonly p99: number;
  /** This process's own part in it. */
  readonly late: number;
  readonly answers: Readonly<Record<number, number>>;
}

export async function measureFlood(): Promise<Finding[]> {
  await using servers = startedTogether();
  const upstream = await servers.keep(startFastUpstream());
  const auth = {
    hash_iterations: 600_000,
    failed_login_rate_limit: '5/minute;20/hour',
    trusted_proxies: ['127.0.0.1'],
  };
  const postern = await servers.keep(startPostern({ upstream: upstream.url, auth }));
  const rounds = await roundsOf(FLOODS, ROUNDS, async ({ addressOf }, isWarmUp): Promise<Figures> => {
    const flood = addressOf && startFlood(postern.url, addressOf);
    const target = { url: `${postern.url}${SMALL}`, headers: postern.viewer };
    const { answered, late } = await openLoop(target, isWarmUp ? { ...LOAD, seconds: 2 } : LOAD);
    const answers = flood ? await flood.stop() : {};
    return { p50: median(answered), p99: quantile(answered, 0.99), late: quantile(late, 0.99), answers };
  });
  const of = (name: string, figure: 'p50' | 'p99' | 'late'): number =>
    median((rounds.get(name) ?? []).map((each) => each[figure]));
  console.log(
    `\nForwarding ${LOAD.perSecond} requests/s beside ${LOGINS_PER_SECOND} wrong passwords/s, ${ROUNDS} rounds of ${LOAD.seconds} s in turn, medians\n`,
  );
  printTable(
    ['', 'forwarded p50 ms', 'p99 ms', 'sent late p99 ms', 'logins answered (last round)'],
    FLOODS.map(({ name }) => [
      name,
      of(name, 'p50').toFixed(2),
      of(name, 'p99').toFixed(2),
      of(name, 'late').toFixed(2),
      said(rounds.get(name)?.at(-1)),
    ]),
  );
  console.log();
  const [calm = '', ...floods] = FLOODS.map(({ name }) => name);
  return floods.map((name) => ({
    what: `forwarded p99 beside a login flood ${name}, more than without`,
    seen: of(name, 'p99') - of(calm, 'p99'),
    unit: 'ms',
  }));
}

const said = (figures: Figures | undefined): string =>
  Object.entries(figures?.answers ?? {})
    .map(([status, count]) => `${count} x ${status}`)
    .join(', ');

/** At a steady rate, whether answers come or not. */
function startFlood(url: string, addressOf: (count: number) => string) {
  let sent = 0;
  const answers: Record<number, number> = {};
  const underWay = new Set<Promise<void>>();
  const attempt = async (): Promise<void> => {
    const body = JSON.stringify({ user: 'admin', password: 'not the password' });
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': addressOf(sent) };
    sent += 1;
    const answer = await fetch(`${url}/api/login`, { method: 'POST', headers, body });
    await answer.arrayBuffer();
    answers[answer.status] = (answers[answer.status] ?? 0) + 1;
  };
  const timer = setInterval(() => {
    const attempted = attempt().finally(() => underWay.delete(attempted));
    underWay.add(attempted);
  }, 1000 / LOGINS_PER_SECOND);
  return {
    async stop(): Promise<Readonly<Record<number, number>>> {
      clearInterval(timer);
      await Promise.all(underWay);
      return answers;
    },
  };
}
