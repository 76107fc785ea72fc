/** The account contract, kept by PostgreSQL. */
import { after, before, describe } from 'node:test';
import { openStore } from '../../src/store/open-store.ts';
import { accountStoreContract } from '../contracts/account-store.ts';
import { curtainStoreContract } from '../contracts/curtain-store.ts';
import { invitationStoreContract } from '../contracts/invitation-store.ts';
import { linkStoreContract } from '../contracts/link-store.ts';
import { screenStoreContract } from '../contracts/screen-store.ts';
import { factorStoreContract } from '../contracts/second-factor-store.ts';
import { signInStoreContract } from '../contracts/sign-in-store.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';

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
