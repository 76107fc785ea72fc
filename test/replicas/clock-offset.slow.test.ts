/** A replica whose clock is not that of PostgreSQL says so: others refuse its sessions (SPEC 10). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { movableClock } from '../support/clock.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { scrape } from '../telemetry/support/exposition.ts';

describe('A replica on PostgreSQL', { skip: withoutPostgres, timeout: 300_000 }, () => {
  let postgres: TestPostgres;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres.stop());

  for (const [what, by] of Object.entries({ 'ten minutes ahead': 600, 'ten minutes behind': -600 }))
    it(`with a clock ${what} is degraded, and a gauge tells by how much`, async (test) => {
      const clock = movableClock(Date.now() + by * 1000);
      const url = await postgres.newDatabase();
      const { telemetryUrl, close } = await startInstance({ config: { store: { url } }, clock });
      test.after(close);
      const offset = async () => (await scrape(telemetryUrl)).get('postern_store_clock_offset_seconds') ?? 0;
      await until('it is told', async () => Math.abs((await offset()) - by) < 120);
      const answer = await fetch(`${telemetryUrl}/readyz`);
      const { clock: said } = (await answer.json()) as { clock: { kind: string; reason: string } };
      assert.deepEqual([answer.status, said.kind], [200, 'degraded']);
      assert.match(said.reason, by > 0 ? /ahead of that of the PostgreSQL server/ : /behind/);
    });
});
