/** Load on loopback, bounded in time, and the processes that take it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import autocannon from 'autocannon';

export interface Target {
  readonly name: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Figures {
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
}

export interface StartedServer {
  /** The lines it printed to begin with. */
  readonly lines: readonly string[];
  stop(): Promise<void>;
}

/** Starts bench/servers/<name>.ts and waits for its first lines. */
export async function startServer(name: string, lines: number, ...args: string[]): Promise<StartedServer> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'servers', `${name}.ts`), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    printed.push(line);
    if (printed.length === lines) break;
  }
  child.stdout.resume();
  return { lines: printed, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}

const CONNECTIONS = 8;

/** One round; a status other than 2xx is a fault of the benchmark, and ends it. */
export async function measure({ name, url, headers = {} }: Target, seconds: number): Promise<Figures> {
  const result = await autocannon({ url, headers: { ...headers }, connections: CONNECTIONS, duration: seconds });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${name}: ${result.non2xx} answers were not 2xx, ${result.errors} failed`);
  }
  return { requestsPerSecond: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 };
}

/** Rounds in turn, A B C A B C, so that the machine's moods fall on all alike; the median of each figure. */
export async function inTurn(
  targets: readonly Target[],
  rounds: number,
  seconds: number,
): Promise<Map<string, Figures>> {
  const all = new Map<string, Figures[]>(targets.map(({ name }) => [name, []]));
  for (let round = -1; round < rounds; round += 1) {
    for (const target of targets) {
      const figures = await measure(target, round < 0 ? 1 : seconds); // the first, short one warms up
      if (round >= 0) all.get(target.name)?.push(figures);
    }
    if (process.stdout.isTTY) process.stdout.write(`\r  round ${round + 1} of ${rounds} `);
  }
  if (process.stdout.isTTY) process.stdout.write('\r\u001b[K');
  return new Map([...all].map(([name, figures]) => [name, medianFigures(figures)]));
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const medianFigures = (figures: readonly Figures[]): Figures => ({
  requestsPerSecond: median(figures.map((each) => each.requestsPerSecond)),
  p50: median(figures.map((each) => each.p50)),
  p99: median(figures.map((each) => each.p99)),
});

/** Columns under each other: text to the left, figures to the right. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of [head, ...rows]) {
    console.log(
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    );
  }
}
