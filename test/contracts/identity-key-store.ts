/** What every store must do with the keys of signed identities, whatever the engine: replicas that ask at once share one (SPEC 17). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createSealer } from '../../src/accounts/second-factor/sealed-secret.ts';
import type { IdentityKeyStore } from '../../src/domain/identity/identity-key.ts';
import { createIdentityKeys } from '../../src/identity/signed/identity-keys.ts';
import { movableClock } from '../support/clock.ts';

export interface OpenedKeys {
  readonly identityKeys: IdentityKeyStore;
  close(): Promise<void>;
}

export function identityKeyStoreContract(engineName: string, open: () => Promise<OpenedKeys>): void {
  describe(`The keys of signed identities on ${engineName}`, () => {
    const clock = movableClock();
    let stores: readonly OpenedKeys[];
    before(async () => {
      stores = [await open(), await open(), await open()];
    });
    after(() => Promise.all(stores.map((store) => store.close())));

    const replica = ({ identityKeys: store }: OpenedKeys) =>
      createIdentityKeys({
        ...createSealer(Buffer.alloc(32, 1)),
        store,
        clock,
        onFault: (fault) => assert.fail(String(fault)),
      });

    it('are one set for all replicas, also when all ask at once, now and when a new one is due', async () => {
      const replicas = stores.map(replica);
      await Promise.all(replicas.map((one) => one.ready()));
      assert.equal(new Set(replicas.map((one) => one.signing()?.id)).size, 1);
      clock.advance(30 * 86_400);
      const sets = await Promise.all(replicas.map((one) => one.published()));
      assert.deepEqual(
        sets.map((set) => [set.length, set]),
        sets.map(() => [2, sets[0]]),
      );
    });

    it('are sealed, and a replica with another signing secret makes its own', async () => {
      const [store = assert.fail()] = stores;
      const [row] = await store.identityKeys.listIdentityKeys();
      assert.match(row?.sealed ?? '', /^[0-9a-f]{12}\.[\w-]+$/);
      const stranger = createIdentityKeys({
        ...createSealer(Buffer.alloc(32, 2)),
        store: store.identityKeys,
        clock,
        onFault: (fault) => assert.fail(String(fault)),
      });
      await stranger.ready();
      assert.equal((await stranger.published()).length, 1);
    });
  });
}
