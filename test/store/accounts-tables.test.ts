/** The account contract, kept by SQLite. */
import { after } from 'node:test';
import { openStore } from '../../src/store/open-store.ts';
import { accountStoreContract } from '../contracts/account-store.ts';
import { curtainStoreContract } from '../contracts/curtain-store.ts';
import { invitationStoreContract } from '../contracts/invitation-store.ts';
import { linkStoreContract } from '../contracts/link-store.ts';
import { screenStoreContract } from '../contracts/screen-store.ts';
import { factorStoreContract } from '../contracts/second-factor-store.ts';
import { signInStoreContract } from '../contracts/sign-in-store.ts';
import { makeScratch } from './support/scratch-store.ts';

const scratch = makeScratch();
after(scratch.remove);

invitationStoreContract('SQLite', { open: () => openStore({ url: scratch.url }) });
linkStoreContract('SQLite', { open: () => openStore({ url: scratch.url }) });
curtainStoreContract('SQLite', () => openStore({ url: scratch.url }));
screenStoreContract('SQLite', () => openStore({ url: scratch.url }));
signInStoreContract('SQLite', { open: () => openStore({ url: scratch.url }) });
factorStoreContract('SQLite', { open: () => openStore({ url: scratch.url }) });
accountStoreContract('SQLite', {
  open: () => openStore({ url: scratch.url }),
  async empty() {
    const store = await openStore({ url: scratch.url });
    await store.db.deleteFrom('users').execute();
    await store.db.deleteFrom('revoked_tokens').execute();
    await store.close();
  },
});
