/** The curtain in the store, known to every request; while the store is away it stays as it was (SPEC 19). */
import type { StoreGrace } from '../../accounts/sessions/store-grace.ts';
import type { MaybePromise } from '../../domain/async.ts';
import type { HeardChanges } from '../../store/engine/engine.ts';
import { deleteRows, listRecords, putRecord, storePart } from '../../store/engine/rows.ts';
import type { Curtain, DrawnEntry } from './drawn.ts';
import './tables.ts';

export type CurtainStore = ReturnType<typeof curtainPart>;

export const curtainPart = storePart(
  {
    /** Sorted by camera; what is over is among them until it is forgotten. */
    listDrawn: (db) => listRecords(db, 'curtain', {}, ['camera']),
  },
  {
    /** All or none of them. Each that is drawn takes the place of the entry of the same text. */
    changeCurtain: (
      locked,
      { drawn, opened }: { readonly drawn: readonly DrawnEntry[]; readonly opened: readonly string[] },
    ) =>
      locked({ key: 'curtain' }, async (db) => {
        for (const entry of drawn) await putRecord(db, 'curtain', entry);
        if (opened.length > 0) await deleteRows(db, 'curtain', { camera: opened });
      }),
  },
);

/** `heard`: undefined for a store that no other process writes. */
export function createCurtainRegistry({
  store,
  grace,
  heard,
}: {
  readonly store: Pick<CurtainStore, 'listDrawn'>;
  readonly grace: StoreGrace;
  readonly heard?: HeardChanges | undefined;
}) {
  let known: { readonly curtain: Curtain; readonly revision: number } | undefined;
  const remembered = grace.memory<Curtain>(1, { rowsOf: () => ['curtain'] });
  const read = async (): Promise<Curtain> => {
    const revision = heard?.revision() ?? 0;
    const curtain = await store.listDrawn();
    known = { curtain, revision };
    return curtain;
  };
  return {
    /** Read again when the store has changed. Rejects when nothing was ever read, or a change was heard of and cannot be read. */
    latest(): MaybePromise<Curtain> {
      const curtain = remembered('', read);
      if (!(curtain instanceof Promise)) return curtain;
      return curtain.catch((fault: unknown) => {
        if (!known || heard?.haveChanged(['curtain'], known.revision)) throw fault;
        return known.curtain;
      });
    },
  };
}
