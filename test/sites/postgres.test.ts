/** Two sites on one PostgreSQL (SPEC 20). */
import { after, before, describe } from 'node:test';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { siteSuite } from './support/site-suite.ts';
import { sharedStore } from './support/two-sites.ts';

describe('Two sites on one PostgreSQL', { skip: withoutPostgres }, () => {
  let postgres: TestPostgres;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres.stop());
  siteSuite(async () => sharedStore(await postgres.newDatabase()));
});
