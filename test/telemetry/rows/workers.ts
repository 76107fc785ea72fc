/** Workers that are replaced, each counted by why (SPEC 9, 10). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { tellOfWorkers } from '../../../src/app/workers/tell-of-workers.ts';
import { createLogs } from '../../../src/telemetry/logs/log.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { createScrape } from '../../../src/telemetry/scrape.ts';
import { noteDriven } from '../support/driven.ts';
import { seriesIn } from '../support/exposition.ts';

it('A worker that has ended, or stood still, is counted and said', async () => {
  const metrics = createMetrics({ version: '1', node: '24', roles: [], identityHeaders: [] });
  const { expose } = createScrape(Object.values(metrics), metrics.scrapeFaults);
  const lines: { msg: string; worker: number; fault: string }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const rules = { default: 'info', logs: new Map() } as const;
  const told = tellOfWorkers(metrics, createLogs({ rules, destination, clock: { now: Date.now } }).named('service'));
  const value = async (series: string): Promise<number | undefined> => {
    noteDriven(series);
    return seriesIn((await expose(undefined)).body).get(`postern_${series}`);
  };
  const worker = { number: 2, pid: 17, ask: () => Promise.reject(new Error()), send() {}, replace() {} };
  for (const kind of ['ended', 'silent'] as const) {
    told.onDown(worker, { kind, text: 'SIGKILL' }, 500);
    assert.equal(await value(`worker_restarts_total{reason="${kind}"}`), 1);
  }
  assert.deepEqual(
    lines.map(({ worker: number, fault, msg }) => [number, fault, msg.slice(0, 17)]),
    [
      [2, 'SIGKILL', 'a worker has ende'],
      [2, 'SIGKILL', 'a worker stood st'],
    ],
  );
  metrics.workersUp.set(2);
  assert.equal(await value('workers_up'), 2);
});
