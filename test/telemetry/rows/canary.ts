/** What the canary found: counted, logged without content, in the audit log, and on the status page (SPEC 9, 15). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { AuditEntry } from '../../../src/accounts/audit.ts';
import { createCanaryReport } from '../../../src/app/telemetry/canary-report.ts';
import type { DoneRound } from '../../../src/canary/round.ts';
import { createLogs } from '../../../src/telemetry/logs/log.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { createScrape } from '../../../src/telemetry/scrape.ts';
import { noteDriven } from '../support/driven.ts';
import { seriesIn } from '../support/exposition.ts';

const CLEAN: DoneRound = {
  kind: 'done',
  startedAt: 1000,
  endedAt: 1100.5,
  camera: 'front',
  asked: 100,
  failed: 1,
  unasked: [],
  leaks: [],
  alike: [],
  drift: { unknown: ['GET /api/new'], unknownCount: 1 },
};
const LEAKING: DoneRound = { ...CLEAN, leaks: [{ route: 'GET /api/events', camera: 'garage', by: 'name' }] };

it('A round of the canary is told by what it found, and new operations once', async () => {
  const metrics = createMetrics({ version: '1', node: '24', roles: [], identityHeaders: [] });
  const { expose } = createScrape(Object.values(metrics), metrics.scrapeFaults);
  const lines: { level: string; route?: string; msg: string }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const rules = { default: 'info', logs: new Map() } as const;
  const log = createLogs({ rules, destination, clock: { now: Date.now } }).named('service.canary');
  const audited: AuditEntry[] = [];
  const told = createCanaryReport(metrics, log, () => 1200);
  const tell = (round?: Parameters<typeof told.report>[0]) => told.report(round, (entry) => void audited.push(entry));
  const value = async (series: string): Promise<number | undefined> => {
    noteDriven(series);
    return seriesIn((await expose(undefined)).body).get(`postern_${series}`);
  };
  assert.equal(await value('canary_leaks'), undefined);
  assert.equal(told.status(), null);

  tell({ kind: 'too-few-cameras' });
  tell(CLEAN);
  tell(CLEAN);
  const alike = ['front and front-door'];
  for (const round of [{ ...CLEAN, alike }, { ...CLEAN, alike }, CLEAN, { ...CLEAN, alike }]) tell(round);
  tell(LEAKING);
  tell({ ...CLEAN, asked: 3, failed: 97 });
  tell();
  const counted = { idle: 1, clean: 6, leaks: 1, failed: 2 };
  for (const [result, count] of Object.entries(counted))
    assert.equal(await value(`canary_rounds_total{result="${result}"}`), count, result);
  assert.equal(await value('canary_leaks'), 1, 'a round without answers says nothing of leaks');
  assert.equal(await value('canary_last_round_timestamp_seconds'), 1100);
  assert.equal(await value('canary_unknown_operations'), 1);
  assert.deepEqual(
    audited.map(({ what, from, verdict, route, camera }) => [what, from, verdict, route, camera]),
    [['canary-leak', 'canary', 'allowed', 'GET /api/events', 'garage']],
  );
  const loud = lines.filter(({ level }) => level !== 'info').map(({ level, msg }) => `${level} ${msg.slice(0, 26)}`);
  assert.deepEqual(loud, [
    'warn the NVR has operations tha',
    'warn the name of a camera is th',
    'warn the name of a camera is th',
    'error the canary was shown a cam',
    'warn a round of the canary brok',
  ]);
  assert.deepEqual([told.status()?.result, told.status()?.at], ['failed', 1200]);
});
