/** The curtain: cameras that are drawn, from whom they are taken, and how each request knows them; while the store is away it stays as it was (SPEC 19). Times are Unix seconds. */
import './tables.ts';
import type { FindSubtraction, Holding, Subtraction } from '../../access/camera-view.ts';
import type { StoreGrace } from '../../accounts/sessions/store-grace.ts';
import { type MaybePromise, mapMaybe } from '../../domain/async.ts';
import { type LimitedScope, toScope } from '../../domain/camera-scope.ts';
import { traitsFor } from '../../domain/credentials.ts';
import { ADMIN } from '../../domain/names.ts';
import type { HeardChanges } from '../../store/engine/engine.ts';
import { storePart } from '../../store/engine/rows.ts';
import type { RecordOf } from '../../store/engine/tables.ts';

export type CurtainStore = ReturnType<typeof curtainPart>;

export const curtainPart = storePart(
  {
    /** Sorted by camera; what is over is among them until it is forgotten. */
    listDrawn: (db) => db.list('curtain', {}, ['camera']),
  },
  {
    /** All or none of them. Each that is drawn takes the place of the entry of the same text. */
    changeCurtain: (
      locked,
      { drawn, opened }: { readonly drawn: readonly DrawnEntry[]; readonly opened: readonly string[] },
    ) =>
      locked({ key: 'curtain' }, async (db) => {
        for (const entry of drawn) await db.put('curtain', entry);
        if (opened.length > 0) await db.delete('curtain', { camera: opened });
      }),
  },
);

/** `heard`: undefined for a store that no other process writes. */
export function rememberCurtain(store: Pick<CurtainStore, 'listDrawn'>, grace: StoreGrace, heard?: HeardChanges) {
  let known: { readonly curtain: Curtain; readonly revision: number } | undefined;
  const remembered = grace.memory<Curtain>(1, { rowsOf: () => ['curtain'] });
  const read = async (): Promise<Curtain> => {
    known = { revision: heard?.revision() ?? 0, curtain: await store.listDrawn() };
    return known.curtain;
  };
  /** Read again when the store has changed. Rejects when nothing was ever read, or a change was heard of and cannot be read. */
  return (): MaybePromise<Curtain> => {
    const curtain = remembered('', read);
    if (!(curtain instanceof Promise)) return curtain;
    return curtain.catch((fault: unknown) => {
      if (!known || heard?.haveChanged(['curtain'], known.revision)) throw fault;
      return known.curtain;
    });
  };
}

export type DrawnEntry = RecordOf<'curtain'>;

/** All that is drawn. The list must not be changed afterwards: a change makes another list. */
export type Curtain = readonly DrawnEntry[];

export const isDrawn = ({ until }: Pick<DrawnEntry, 'until'>, now: number): boolean =>
  until === undefined || now < until;

/** Never from an admin, who must be able to open it; always from what is lent to viewers, whatever the role of their maker. */
const isBehindCurtain = ({ role, credential }: Holding): boolean =>
  role !== ADMIN || (credential !== undefined && !traitsFor(credential).isUsedByOwner);

/** What the curtain of this moment takes; an admin does not depend on what the store says. */
export const subtractionOf =
  (latest: () => MaybePromise<Curtain>): FindSubtraction =>
  (holder, now) =>
    isBehindCurtain(holder) ? mapMaybe(latest(), (curtain) => takenBy(curtain, now)) : undefined;

const BY = ['the curtain is drawn', 'open it on the page Live, or by DELETE /api/curtain'] as const;

function takenBy(curtain: Curtain, now: number): Subtraction | undefined {
  const drawn = curtain.filter((entry) => isDrawn(entry, now));
  if (drawn.length === 0) return undefined;
  const ends = drawn.flatMap(({ until = [] }) => until);
  return { cameras: scopeOfDrawn(drawn), by: BY, ...(ends.length > 0 && { until: Math.min(...ends) }) };
}

let latest = { entries: '', scope: toScope([]) };

/** One scope for the same entries: what is made from a scope is remembered by the scope. No entry holds a comma. */
function scopeOfDrawn(drawn: Curtain): LimitedScope {
  const entries = drawn.map(({ camera }) => camera).join(',');
  if (entries !== latest.entries) latest = { entries, scope: toScope(entries.split(',')) };
  return latest.scope;
}
