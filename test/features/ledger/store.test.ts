/** The contract of the ledger's store, kept by both engines. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { ledgerStoreContract } from '../../contracts/ledger-store.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../../support/servers/postgres.ts';
import { openStore } from '../../support/whole-store.ts';

describe('With SQLite', () => {
  const directory = mkdtempSync(join(tmpdir(), 'postern-ledger-'));
  after(() => rmSync(directory, { recursive: true }));
  ledgerStoreContract('SQLite', {
    open: (name = 'postern') => openStore({ url: `sqlite:${directory}/${name}.db` }),
    isFile: true,
  });
});

describe('With PostgreSQL', { skip: withoutPostgres }, () => {
  let server: TestPostgres;
  let url: string;
  before(async () => {
    server = await startPostgres();
    url = await server.newDatabase();
  });
  after(() => server.stop());
  ledgerStoreContract('PostgreSQL', {
    open: async (name) => openStore({ url: name ? await server.newDatabase() : url }),
    isFile: false,
  });
});
