/** The account contract, kept by SQLite. */
import { after } from 'node:test';
import { accountStoreContract } from '../contracts/account-store.ts';
import { invitationStoreContract } from '../contracts/invitation-store.ts';
import { factorStoreContract } from '../contracts/second-factor-store.ts';
import { signInStoreContract } from '../contracts/sign-in-store.ts';
import { curtainStoreContract } from '../features/curtain/store-contract.ts';
import { linkStoreContract } from '../features/links/store-contract.ts';
import { screenStoreContract } from '../features/screens/store-contract.ts';
import { openStore } from '../support/whole-store.ts';
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
