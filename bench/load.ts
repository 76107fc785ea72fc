/** Load on loopback, bounded in time: by wrk where it is installed, else by autocannon, which needs more of the machine; HTTP/2 by h2load. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import autocannon from 'autocannon';
import { findProgram, processorSeconds, untilCalm } from './machine.ts';
import { median } from './table.ts';

export interface Target {
  readonly name: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** By HTTP/2, a stream at a time on each connection. */
  readonly isHttp2?: boolean;
  /** Of the process whose processor time is counted; absent: nobody's is. */
  readonly pid?: number;
}

export interface Figures {
  readonly requestsPerSecond: number;
  readonly bytesPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Processor time of the target's process for each request; NaN when it was not counted. */
  readonly microseconds: number;
  /** The same for each gigabyte of bodies, in seconds. */
  readonly secondsPerGigabyte: number;
}

export interface LoadOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections?: number;
}

const CONNECTIONS = 16;
const WRK = findProgram('wrk');
const H2LOAD = findProgram('h2load');
export const HAS_H2LOAD = H2LOAD !== undefined;

export const LOAD_TOOL = WRK === undefined ? 'autocannon' : 'wrk';

type Measured = Omit<Figures, 'microseconds' | 'secondsPerGigabyte'> & { readonly requests: number };

/** One round; a status other than 2xx or 3xx is a fault of the benchmark, and ends it. */
export async function measure(target: Target, seconds: number, connections = CONNECTIONS): Promise<Figures> {
  const before = target.pid === undefined ? undefined : processorSeconds(target.pid);
  const load = target.isHttp2 ? byH2load : WRK === undefined ? byAutocannon : byWrk;
  const { requests, ...figures } = await load(target, seconds, connections);
  const after = target.pid === undefined ? undefined : processorSeconds(target.pid);
  const spent = before === undefined || after === undefined ? Number.NaN : after - before;
  const gigabytes = (figures.bytesPerSecond * seconds) / 1e9;
  return { ...figures, microseconds: (spent / requests) * 1e6, secondsPerGigabyte: spent / gigabytes };
}

async function byWrk({ name, url, headers = {} }: Target, seconds: number, connections: number): Promise<Measured> {
  const lines = Object.entries(headers).flatMap(([header, value]) => ['-H', `${header}: ${value}`]);
  const load = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '--latency'];
  const { stdout } = await promisify(execFile)(WRK ?? 'wrk', [...load, ...lines, url]);
  const wrong = /^ *(?:Non-2xx or 3xx responses|Socket errors): .*$/m.exec(stdout)?.[0];
  if (wrong !== undefined) throw new Error(`${name}: ${wrong.trim()}`);
  const figure = (pattern: RegExp): string => pattern.exec(stdout)?.[1] ?? 'NaN';
  return {
    requests: Number(figure(/^ *(\d+) requests in /m)),
    requestsPerSecond: Number(figure(/^Requests\/sec: +([\d.]+)/m)),
    bytesPerSecond: bytesOf(figure(/^Transfer\/sec: +(\S+)/m)),
    p50: millisecondsOf(figure(/^ +50% +(\S+)/m)),
    p99: millisecondsOf(figure(/^ +99% +(\S+)/m)),
  };
}

/** It tells no quantiles. */
async function byH2load({ name, url, headers = {} }: Target, seconds: number, connections: number): Promise<Measured> {
  const lines = Object.entries(headers).flatMap(([header, value]) => ['-H', `${header}: ${value}`]);
  const load = ['-t1', `-c${connections}`, '-m1', `-D${seconds}`];
  const { stdout } = await promisify(execFile)(H2LOAD ?? 'h2load', [...load, ...lines, url]);
  const counts = /^requests: .* (?<done>\d+) succeeded, (?<failed>\d+) failed/m.exec(stdout)?.groups;
  if (counts?.['failed'] !== '0') throw new Error(`${name}: ${stdout.slice(-500)}`);
  const [, rate = 'NaN', bytes = 'NaN'] = /^finished in .*?, ([\d.]+) req\/s, (\S+)\/s/m.exec(stdout) ?? [];
  return {
    requests: Number(counts['done']),
    requestsPerSecond: Number(rate),
    bytesPerSecond: bytesOf(bytes),
    p50: Number.NaN,
    p99: Number.NaN,
  };
}

const MILLISECONDS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };
const BYTES: Readonly<Record<string, number>> = { B: 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30, TB: 2 ** 40 };

const millisecondsOf = (text: string): number => withUnit(text, MILLISECONDS);
const bytesOf = (text: string): number => withUnit(text, BYTES);

function withUnit(text: string, units: Readonly<Record<string, number>>): number {
  const { amount, unit = '' } = /^(?<amount>[\d.]+)(?<unit>[a-zA-Z]+)$/.exec(text)?.groups ?? {};
  return Number(amount) * (units[unit] ?? Number.NaN);
}

async function byAutocannon(
  { name, url, headers = {} }: Target,
  duration: number,
  connections: number,
): Promise<Measured> {
  const result = await autocannon({ url, headers: { ...headers }, connections, duration });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${name}: ${result.non2xx} answers were not 2xx, ${result.errors} failed`);
  }
  return {
    requests: result.requests.total,
    requestsPerSecond: result.requests.average,
    bytesPerSecond: result.throughput.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}

/** Rounds in turn, A B C C B A, so that the machine's moods fall on all alike; the median of each figure. */
export async function inTurn(
  targets: readonly Target[],
  { rounds, seconds, connections = CONNECTIONS }: LoadOptions,
): Promise<Map<string, Figures>> {
  const all = await roundsOf(targets, rounds, (target, isWarmUp) =>
    measure(target, isWarmUp ? 1 : seconds, connections),
  );
  return new Map([...all].map(([name, figures]) => [name, medianFigures(figures)]));
}

/** What came of each round by each one's name; the first, which warms up, does not count. */
export async function roundsOf<Subject extends { readonly name: string }, Result>(
  subjects: readonly Subject[],
  rounds: number,
  measureOne: (subject: Subject, isWarmUp: boolean) => Promise<Result>,
): Promise<Map<string, Result[]>> {
  const all = new Map<string, Result[]>(subjects.map(({ name }) => [name, []]));
  let restless = 0;
  for (let round = 0; round <= rounds; round += 1) {
    showProgress(`round ${round} of ${rounds}: waiting until the machine is calm`);
    if (!(await untilCalm(CALM_PATIENCE_MS))) restless += 1;
    // Behind a pause the machine is faster than behind a round: none comes first each time.
    for (const subject of round % 2 === 0 ? subjects.toReversed() : subjects) {
      showProgress(`${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}: ${subject.name}`);
      const result = await measureOne(subject, round === 0);
      if (round > 0) all.get(subject.name)?.push(result);
    }
  }
  showProgress('');
  if (restless > 0) console.log(`(${restless} of ${rounds + 1} rounds began while others used the machine)`);
  return all;
}

const CALM_PATIENCE_MS = 5_000;

/** One line that is written over; nothing where nobody is looking. */
export function showProgress(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${text === '' ? '' : `  ${text} `}`);
}

/** The median of each figure, each for itself. */
export const medianFigures = (figures: readonly Figures[]): Figures => ({
  requestsPerSecond: median(figures.map((each) => each.requestsPerSecond)),
  bytesPerSecond: median(figures.map((each) => each.bytesPerSecond)),
  p50: median(figures.map((each) => each.p50)),
  p99: median(figures.map((each) => each.p99)),
  microseconds: median(figures.map((each) => each.microseconds)),
  secondsPerGigabyte: median(figures.map((each) => each.secondsPerGigabyte)),
});
