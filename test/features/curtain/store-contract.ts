/** What every store must do with the curtain, whatever the engine: an entry is one row, and what is over is forgotten (SPEC 19). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CurtainStore, DrawnEntry } from '../../../src/features/curtain/curtain.ts';
import type { AccountStore } from '../../../src/store/accounts/accounts.ts';
import { LATE_SECONDS } from '../../../src/store/engine/tables.ts';

export interface OpenedCurtain {
  readonly accounts: AccountStore;
  readonly curtain: CurtainStore;
  close(): Promise<void>;
}

const HALL: DrawnEntry = { camera: 'hall', by: 'paul', drawnAt: 5 };
const KITCHEN: DrawnEntry = { camera: 'Kitchen*', until: 100, by: 'jörg', drawnAt: 6 };

export function curtainStoreContract(engineName: string, open: () => Promise<OpenedCurtain>): void {
  describe(`The curtain on ${engineName}`, () => {
    let store: OpenedCurtain;
    let other: OpenedCurtain;
    before(async () => {
      store = await open();
      other = await open();
    });
    after(() => Promise.all([store.close(), other.close()]));

    it('is kept as it was drawn, an entry once, for every process', async () => {
      await store.curtain.changeCurtain({ drawn: [HALL, KITCHEN], opened: [] });
      assert.deepEqual(await other.curtain.listDrawn(), [KITCHEN, HALL]);
      const again = { ...KITCHEN, by: 'paul' };
      await other.curtain.changeCurtain({ drawn: [again], opened: ['hall', 'nowhere'] });
      assert.deepEqual(await store.curtain.listDrawn(), [again]);
      await store.curtain.changeCurtain({ drawn: [HALL], opened: [again.camera] });
      assert.deepEqual(await store.curtain.listDrawn(), [HALL]);
    });

    it('forgets what was over by then, and nothing that has no end', async () => {
      await store.curtain.changeCurtain({ drawn: [HALL, KITCHEN], opened: [] });
      await store.accounts.forgetEnded(100 + LATE_SECONDS);
      assert.equal((await store.curtain.listDrawn()).length, 2);
      await store.accounts.forgetEnded(101 + LATE_SECONDS);
      assert.deepEqual(await store.curtain.listDrawn(), [HALL]);
    });
  });
}
