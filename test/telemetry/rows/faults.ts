/** Faults of the store and the log output, each counted as it happens (SPEC 9, 10). */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { CONNECTION_REFUSALS, type ConnectionRefusal } from '../../../src/domain/refusal.ts';
import { STORE_FAULTS, storeFault } from '../../../src/domain/store/store-fault.ts';
import { openHealth } from '../../../src/telemetry/health.ts';
import { createLogs } from '../../../src/telemetry/logs/log.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { createScrape } from '../../../src/telemetry/scrape.ts';
import { VERA } from '../../support/people.ts';
import { startInstance } from '../../support/start-instance.ts';
import { until } from '../../support/until.ts';
import { moves, noteDriven, value } from '../support/driven.ts';
import { seriesIn } from '../support/exposition.ts';

const CONFIG = { nvr: { cameras: ['cam1'] }, events: { sample: 0 } };
const UNKNOWN_TOKEN = 'pst_0123456789abcdef_'.padEnd(85, '0');

describe('A fault', () => {
  it('of the store is counted by its kind, and the store is down until it works again', async (test) => {
    const metrics = createMetrics({ version: '1', node: '24', roles: [], identityHeaders: [] });
    const scrape = createScrape(Object.values(metrics));
    const told = async (series: string): Promise<number | undefined> => {
      noteDriven(series);
      return seriesIn(await scrape()).get(`postern_${series}`);
    };
    let dropped = 0;
    const output = { write() {}, dropped: () => dropped };
    const clock = { now: Date.now };
    const rules = { default: 'info', logs: new Map() } as const;
    const log = createLogs({ rules, destination: output, clock }).named('service');
    const health = openHealth(metrics, log, clock, output, 'sqlite');
    test.after(health.close);
    let broken: Error | undefined;
    health.store.watch(async () => {
      if (broken) throw broken;
    });
    health.store.note(storeFault('full', 'it failed', undefined), 'write');
    assert.equal(await told('store_up'), 0);
    assert.equal(await health.store.fault(), undefined, 'a probe has written since');
    assert.equal(await told('store_up'), 1);
    for (const kind of STORE_FAULTS) {
      if (kind !== 'full') health.store.note(storeFault(kind, 'it failed', undefined), 'read');
      assert.equal(await told(`store_faults_total{kind="${kind}"}`), 1);
    }
    assert.equal(await told('store_up'), 1);
    broken = new Error('it is gone');
    await health.store.fault();
    assert.equal(await told('store_up'), 0);
    for (const isHeard of [true, false]) {
      health.onHeard(isHeard);
      assert.equal(await told('store_changes_heard'), Number(isHeard));
    }
    for (const cause of Object.keys(CONNECTION_REFUSALS) as ConnectionRefusal[]) {
      health.onConnectionRefused(cause, '192.0.2.7');
      health.onConnectionRefused(cause, '192.0.2.7');
      assert.equal(await told(`connections_refused_total{cause="${cause}"}`), 2);
    }
    dropped = 3;
    health.countDropped();
    assert.equal(await told('log_lines_dropped_total'), 3);
  });

  it('of the store that leaves a logout unwritten is counted, and the logout waits', async (test) => {
    const house = await startInstance({ config: CONFIG });
    test.after(house.close);
    const token = await house.logIn(VERA);
    const other = new DatabaseSync(join(house.directory, 'postern.db'));
    other.exec('begin immediate');
    await moves(
      house,
      ['own_errors_total'],
      async () => assert.equal((await house.ask('/logout', { method: 'POST', token })).status, 503),
      { 'own_errors_total{reason="store"}': 1 },
    );
    assert.equal(await value(house, 'revocations_waiting'), 1);
    other.exec('rollback');
    other.close();
    await until('it is written', async () => (await value(house, 'revocations_waiting')) === 0);
  });

  it('of Postern itself is counted as one', async (test) => {
    const house = await startInstance({ config: CONFIG });
    test.after(house.close);
    const other = new DatabaseSync(join(house.directory, 'postern.db'));
    other.exec('drop table grants');
    other.close();
    await moves(
      house,
      ['own_errors_total'],
      async () => assert.equal((await house.ask('/api/profile', { token: UNKNOWN_TOKEN })).status, 500),
      { 'own_errors_total{reason="internal"}': 1 },
    );
  });
});
