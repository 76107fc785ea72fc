/** Logins side by side on PostgreSQL: how they grow with people and replicas, also where a round trip takes longer, and what a frozen replica costs. */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../src/store/open-store.ts';
import { ADMIN_PERSON, moveIn, type Person } from '../../test/support/people.ts';
import { startPostgres, withoutPostgres } from '../../test/support/servers/postgres.ts';
import { startFastUpstream } from '../forward/fast-upstream.ts';
import { showProgress } from '../load.ts';
import { cpuTimes } from '../machine.ts';
import { type StartedPostern, startPostern } from '../start-postern.ts';
import { startedTogether, startServer } from '../start-server.ts';
import { type Finding, findingOf, median, printTable, quantile } from '../table.ts';

const STARTS = 3;
const SECONDS = 8;
const WARM_UP_SECONDS = 2;
/** How often a replica is frozen, and for how long: a transaction that it had begun is ended by the server before. */
const FREEZES = 5;
const FROZEN_SECONDS = 8;

const PEOPLE: readonly Person[] = Array.from({ length: 24 }, (_, at) => ({
  name: `person${at}`,
  role: 'viewer',
  password: `PassOfPerson${at}!`,
}));

interface Row {
  /** Milliseconds that a round trip to PostgreSQL takes longer. */
  readonly delay: number;
  readonly replicas: number;
}

// biome-ignore format: a table
const ROWS: readonly Row[] = [
  { delay: 0, replicas: 1 }, { delay: 0, replicas: 3 },
  { delay: 5, replicas: 1 }, { delay: 5, replicas: 3 },
];

interface Figures {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
  /** The part of all processors of the machine that was busy: this process, the replicas and PostgreSQL. */
  readonly busy: number;
}

const nameOf = ({ delay, replicas }: Row, people: number): string =>
  `${delay} ms, ${replicas} ${replicas === 1 ? 'replica' : 'replicas'}, ${people} ${people === 1 ? 'person' : 'people'}`;

export async function measureSideBySide(): Promise<Finding[]> {
  if (withoutPostgres) return [];
  const all = new Map<string, Figures[]>();
  const frozen: Frozen[] = [];
  for (let start = 1; start <= STARTS; start += 1)
    for (const row of ROWS) {
      showProgress(`start ${start} of ${STARTS}: ${nameOf(row, PEOPLE.length)}`);
      await withReplicas(row, async (started) => {
        const people = row.replicas === 1 ? [1, PEOPLE.length] : [PEOPLE.length];
        for (const count of people) {
          const clients = PEOPLE.slice(0, count).map((person, at) => ({ person, url: urlOf(started, at) }));
          await logInFor(WARM_UP_SECONDS, clients);
          const name = nameOf(row, count);
          all.set(name, [...(all.get(name) ?? []), await logInFor(SECONDS, clients)]);
        }
        if (row.delay > 0 || row.replicas === 1 || start > 1) return;
        showProgress('a replica is frozen while it logs people in and changes roles');
        frozen.push(await freeze(started));
      });
    }
  showProgress('');
  print(all);
  return findingsOf(all, frozen);
}

async function withReplicas({ delay, replicas }: Row, act: (started: readonly StartedPostern[]) => Promise<void>) {
  await using servers = startedTogether();
  const upstream = (await servers.keep(startFastUpstream())).url;
  const postgres = await servers.keep(startPostgres());
  const direct = await postgres.newDatabase();
  const link = await servers.keep(startServer('slow-link', 1, String(postgres.port), String(delay)));
  const store = { url: direct.replace(`:${postgres.port}/`, `:${link.lines[0]}/`) };
  const started = [await servers.keep(startPostern({ upstream, store }))];
  const people = await openStore({ url: direct });
  await moveIn(PEOPLE, people.accounts, Math.floor(Date.now() / 1000) - 60);
  await people.close();
  while (started.length < replicas) started.push(await servers.keep(startPostern({ upstream, store, people: false })));
  await act(started);
}

const urlOf = (started: readonly StartedPostern[], at: number): string => started[at % started.length]?.url ?? '';

interface Client {
  readonly person: Person;
  readonly url: string;
}

/** Each of them logs in again as soon as the answer is there. */
async function logInFor(seconds: number, clients: readonly Client[]): Promise<Figures> {
  const times: number[] = [];
  const until = performance.now() + seconds * 1000;
  const [since, before] = [performance.now(), cpuTimes()];
  const oneAfterAnother = async ({ person, url }: Client): Promise<void> => {
    const agent = new Agent({ keepAlive: true });
    const credentials = { user: person.name, password: person.password };
    while (performance.now() < until) {
      const begun = performance.now();
      const status = await send(agent, 'POST', `${url}/api/login`, credentials);
      if (status !== 200) throw new Error(`${person.name} could not log in: ${status}`);
      times.push(performance.now() - begun);
    }
    agent.destroy();
  };
  await Promise.all(clients.map(oneAfterAnother));
  const [took, after] = [performance.now() - since, cpuTimes()];
  return {
    perSecond: (times.length / took) * 1000,
    p50: median(times),
    p99: quantile(times, 0.99),
    longest: quantile(times, 1),
    busy: 1 - (after.idle - before.idle) / (after.all - before.all),
  };
}

function send(agent: Agent, method: string, url: string, body: object, headers: object = {}): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const asked = request(
    url,
    { method, agent, headers: { 'content-type': 'application/json', ...headers } },
    (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    },
  );
  asked.once('error', reject).end(JSON.stringify(body));
  return promise;
}

/** The longest login at the other replicas, in milliseconds: of a viewer and of an admin, while all go on and while one is frozen. */
interface Frozen {
  readonly calm: readonly [viewer: number, admin: number];
  readonly beside: readonly [viewer: number, admin: number];
}

async function freeze(started: readonly StartedPostern[]): Promise<Frozen> {
  const [first, ...others] = started;
  if (!first) throw new Error('there is no replica to freeze');
  const stopped = new AbortController();
  const busy = keepBusy(first, stopped.signal);
  const viewers = PEOPLE.slice(0, 4).map((person, at) => ({ person, url: urlOf(others, at) }));
  const both = async (seconds: number): Promise<[number, number]> => {
    const admin = [{ person: ADMIN_PERSON, url: urlOf(others, 0) }];
    const [ofViewers, ofAdmin] = await Promise.all([logInFor(seconds, viewers), logInFor(seconds, admin)]);
    return [ofViewers.longest, ofAdmin.longest];
  };
  await both(WARM_UP_SECONDS);
  const calm = await both(FROZEN_SECONDS);
  const beside: [number, number][] = [];
  for (let count = 0; count < FREEZES; count += 1) {
    await sleep(500 + Math.random() * 500);
    first.child.kill('SIGSTOP');
    beside.push(await both(FROZEN_SECONDS).finally(() => first.child.kill('SIGCONT')));
  }
  stopped.abort();
  await busy;
  const longest = (at: 0 | 1): number => Math.max(...beside.map((each) => each[at]));
  return { calm, beside: [longest(0), longest(1)] };
}

/** People log in at it, and an admin changes a role, without end: it is frozen in the middle of both. */
async function keepBusy({ url, admin }: StartedPostern, signal: AbortSignal): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const changing = async (): Promise<void> => {
    for (let turn = 0; !signal.aborted; turn += 1) {
      const role = turn % 2 === 0 ? 'admin' : 'viewer';
      await send(agent, 'PUT', `${url}/api/users/${PEOPLE[23]?.name}/role`, { role }, admin);
    }
  };
  const loggingIn = async ({ name: user, password }: Person): Promise<void> => {
    while (!signal.aborted) await send(agent, 'POST', `${url}/api/login`, { user, password });
  };
  await Promise.all([changing(), ...PEOPLE.slice(8, 20).map(loggingIn)]);
  agent.destroy();
}

function print(all: ReadonlyMap<string, readonly Figures[]>): void {
  console.log(
    `\nLogins side by side, each person again and again, 1,000 hash rounds, ${STARTS} starts of ${SECONDS} s in turn, medians\n`,
  );
  const of = (each: readonly Figures[], figure: keyof Figures): number[] => each.map((one) => one[figure]);
  printTable(
    ['to PostgreSQL', 'logins/s', 'spread', 'p50 ms', 'p99 ms', 'longest ms', 'processors busy'],
    [...all].map(([name, each]) => [
      name,
      median(of(each, 'perSecond')).toFixed(1),
      `${Math.min(...of(each, 'perSecond')).toFixed(1)} to ${Math.max(...of(each, 'perSecond')).toFixed(1)}`,
      median(of(each, 'p50')).toFixed(0),
      median(of(each, 'p99')).toFixed(0),
      Math.max(...of(each, 'longest')).toFixed(0),
      `${(median(of(each, 'busy')) * 100).toFixed(0)} %`,
    ]),
  );
  console.log();
}

/** Twice as many with replicas are wanted only where processors are left for them. */
const ALL_BUSY = 0.8;

function findingsOf(all: ReadonlyMap<string, readonly Figures[]>, frozen: readonly Frozen[]): Finding[] {
  const many = PEOPLE.length;
  const of = (row: Row, people: number, figure: keyof Figures): number[] =>
    (all.get(nameOf(row, people)) ?? []).map((each) => each[figure]);
  const ratios = (row: Row, to: Row): number[] => {
    const base = of(to, many, 'perSecond');
    return of(row, many, 'perSecond').map((each, start) => each / (base[start] ?? Number.NaN));
  };
  const replicas = ([0, 5] as const).map((delay): Finding => {
    const [three, one] = [
      { delay, replicas: 3 },
      { delay, replicas: 1 },
    ];
    const hasRoom = median(of(three, many, 'busy')) < ALL_BUSY;
    return findingOf(`logins/s, 3 replicas / 1, ${delay} ms`, ratios(three, one), { atLeast: hasRoom ? 2 : 1 });
  });
  const [lone] = [of({ delay: 5, replicas: 1 }, 1, 'p50')];
  const added = (at: 0 | 1): number[] => frozen.map(({ calm, beside }) => beside[at] - calm[at]);
  return [
    findingOf('logins/s of 24 people, 5 ms / 0 ms', ratios({ delay: 5, replicas: 1 }, { delay: 0, replicas: 1 }), {
      atLeast: 0.7,
    }),
    ...replicas,
    { ...findingOf('a lone login at 5 ms, p50', lone, { atMost: 45 }), unit: 'ms' },
    {
      ...findingOf("the longest viewer's login while another replica is frozen, more than before", added(0), {
        atMost: 100,
      }),
      unit: 'ms',
    },
    { ...findingOf("the same, an admin's login", added(1), { atMost: 2000 }), unit: 'ms' },
  ];
}
