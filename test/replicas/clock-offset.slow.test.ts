/** A replica whose clock is not that of PostgreSQL says so at its start: others refuse its sessions (SPEC 10). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { movableClock } from '../support/clock.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';

describe('A replica on PostgreSQL', { skip: withoutPostgres, timeout: 300_000 }, () => {
  let postgres: TestPostgres;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres.stop());

  const rows = [
    ['ten minutes ahead', 600, /ahead of that of the PostgreSQL server/],
    ['ten minutes behind', -600, /behind that of the PostgreSQL server/],
  ] as const;
  for (const [what, by, sentence] of rows)
    it(`with a clock ${what} says so in its log`, async (test) => {
      const clock = movableClock(Date.now() + by * 1000);
      const url = await postgres.newDatabase();
      const { log, close } = await startInstance({ config: { store: { url } }, clock });
      test.after(close);
      const told = () => log.find(({ msg }) => sentence.test(String(msg)));
      await until('it is told', async () => told() !== undefined);
      assert.ok(Math.abs(Number(told()?.['seconds']) - by) < 120);
    });
});
