/** The curtain as the store has it, known to every request; while the store is away it stays as it was (SPEC 19). */
import type { Curtain } from '../../domain/accounts/curtain.ts';
import type { MaybePromise } from '../../domain/async.ts';
import type { CurtainStore } from '../../store/accounts/house.ts';
import type { HeardChanges } from '../../store/engine/engine.ts';
import type { StoreGrace } from '../sessions/store-grace.ts';

export interface CurtainRegistryDeps {
  readonly store: Pick<CurtainStore, 'listDrawn'>;
  readonly grace: StoreGrace;
  /** Undefined for a store that no other process writes. */
  readonly heard?: HeardChanges | undefined;
}

export interface CurtainRegistry {
  /** What was read last. */
  current(): Curtain;
  /** Read again when the store has changed. Rejects when nothing was ever read, or a change was heard of and cannot be read. */
  latest(): MaybePromise<Curtain>;
}

export function createCurtainRegistry({ store, grace, heard }: CurtainRegistryDeps): CurtainRegistry {
  let known: { readonly curtain: Curtain; readonly revision: number } | undefined;
  const remembered = grace.memory<Curtain>(1, { rowsOf: () => ['curtain'] });
  const read = async (): Promise<Curtain> => {
    const revision = heard?.revision() ?? 0;
    const curtain = await store.listDrawn();
    known = { curtain, revision };
    return curtain;
  };
  return {
    current: () => known?.curtain ?? [],
    latest() {
      const curtain = remembered('', read);
      if (!(curtain instanceof Promise)) return curtain;
      return curtain.catch((fault: unknown) => {
        if (!known || heard?.haveChanged(['curtain'], known.revision)) throw fault;
        return known.curtain;
      });
    },
  };
}
