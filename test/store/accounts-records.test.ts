/** The contract of roles, seen sessions and API tokens, kept by SQLite. */
import { after } from 'node:test';
import { openStore } from '../../src/store/open-store.ts';
import { accountRecordsContract } from '../contracts/account-store-records.ts';
import { makeScratch } from './support/scratch-store.ts';

const scratch = makeScratch();
after(scratch.remove);

accountRecordsContract('SQLite', {
  open: () => openStore({ url: scratch.url }),
  async empty() {
    const store = await openStore({ url: scratch.url });
    const tables = ['users', 'revoked_tokens', 'custom_roles', 'seen_sessions', 'api_tokens'] as const;
    for (const table of tables) await store.db.deleteFrom(table).execute();
    await store.close();
  },
});
