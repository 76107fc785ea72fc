/** What it costs to count and to log: the gate with metrics and access log against the gate without, in the same run. */

import { exposed } from '../src/telemetry/exposition.ts';
import { createMetrics } from '../src/telemetry/metrics.ts';
import { createProcessMetrics } from '../src/telemetry/process-metrics.ts';
import { inTurn } from './load.ts';
import { startServer } from './start-server.ts';
import { printTable } from './table.ts';

const ROUNDS = 7;
const SECONDS = 3;
const SCRAPES = 50;

export const benchmark = { title: 'the gate with and without metrics and access log, and one exposition', run };

async function run(): Promise<void> {
  const upstream = await startServer('upstream', 1);
  const direct = `http://127.0.0.1:${upstream.lines[0]}`;
  const [bare, watched] = await Promise.all([
    startServer('gate', 1, direct, 'bare'),
    startServer('gate', 1, direct, 'watched'),
  ]);
  const figures = await inTurn(
    [
      { name: 'without', url: `http://127.0.0.1:${bare.lines[0]}/api/version` },
      { name: 'with metrics and access log', url: `http://127.0.0.1:${watched.lines[0]}/api/version` },
    ],
    { rounds: ROUNDS, seconds: SECONDS },
  );
  await Promise.all([upstream, bare, watched].map((server) => server.stop()));
  const rate = (name: string): number => figures.get(name)?.requestsPerSecond ?? 0;
  printTable(
    ['', 'requests/s', 'p50 ms', 'p99 ms'],
    [...figures].map(([name, { requestsPerSecond, p50, p99 }]) => [
      name,
      requestsPerSecond.toFixed(0),
      p50.toFixed(1),
      p99.toFixed(1),
    ]),
  );
  console.log();
  const [milliseconds, series] = await exposition();
  printTable(
    ['', 'seen', 'goal'],
    [
      ['with / without', (rate('with metrics and access log') / rate('without')).toFixed(2), '≥ 0.90'],
      [`one exposition of ${series} series, ms`, milliseconds.toFixed(1), '≤ 5'],
    ],
  );
}

/** The median of some, for an instance of 32 custom roles and as many cameras as have labels of their own. */
async function exposition(): Promise<[milliseconds: number, series: number]> {
  const names = (word: string, count: number): string[] => Array.from({ length: count }, (_, at) => `${word}${at}`);
  const options = {
    version: '0',
    node: process.version,
    roles: names('role', 32),
    identityHeaders: names('header', 18),
  };
  const metrics = createMetrics(options);
  metrics.cameraDenials.setCameras(names('camera', 128));
  const measurements = createProcessMetrics();
  const times: number[] = [];
  let text = '';
  for (let scrape = 0; scrape < SCRAPES; scrape += 1) {
    const since = performance.now();
    text = exposed([...Object.values(metrics), ...(await measurements.read())], 'openmetrics');
    times.push(performance.now() - since);
  }
  const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length;
  return [times.sort((a, b) => a - b)[SCRAPES / 2] ?? 0, series];
}
