/** The store with the parts of the features, over the tables of all of them. */
import '../../src/features/all.ts';
import { curtainPart } from '../../src/features/curtain/curtain.ts';
import { ledgerPart } from '../../src/features/ledger/ledger-store.ts';
import { screenCodePart } from '../../src/features/screens/codes.ts';
import type { StoreOptions } from '../../src/store/engine/engine.ts';
import { openStore as openCore } from '../../src/store/open-store.ts';

export type Store = Awaited<ReturnType<typeof openStore>>;

export async function openStore(options: StoreOptions) {
  const store = await openCore(options);
  return {
    ...store,
    ledger: store.part(ledgerPart),
    screenCodes: store.part(screenCodePart),
    curtain: store.part(curtainPart),
  };
}
