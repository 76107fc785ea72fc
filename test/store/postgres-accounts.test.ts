/** The account contract, kept by PostgreSQL. */
import { after, before, describe } from 'node:test';
import { accountStoreContract } from '../contracts/account-store.ts';
import { invitationStoreContract } from '../contracts/invitation-store.ts';
import { factorStoreContract } from '../contracts/second-factor-store.ts';
import { signInStoreContract } from '../contracts/sign-in-store.ts';
import { curtainStoreContract } from '../features/curtain/store-contract.ts';
import { linkStoreContract } from '../features/links/store-contract.ts';
import { screenStoreContract } from '../features/screens/store-contract.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { openStore } from '../support/whole-store.ts';

describe('With PostgreSQL', { skip: withoutPostgres }, () => {
  let server: TestPostgres;
  let url: string;
  before(async () => {
    server = await startPostgres();
    url = await server.newDatabase();
  });
  after(() => server.stop());

  invitationStoreContract('PostgreSQL', { open: () => openStore({ url }) });
  linkStoreContract('PostgreSQL', { open: () => openStore({ url }) });
  curtainStoreContract('PostgreSQL', () => openStore({ url }));
  screenStoreContract('PostgreSQL', () => openStore({ url }));
  signInStoreContract('PostgreSQL', { open: () => openStore({ url }) });
  factorStoreContract('PostgreSQL', { open: () => openStore({ url }) });
  accountStoreContract('PostgreSQL', {
    open: () => openStore({ url }),
    async empty() {
      const store = await openStore({ url });
      await store.db.deleteFrom('users').execute();
      await store.db.deleteFrom('revoked_tokens').execute();
      await store.close();
    },
  });
});
