/** What was really used of the operations that a caller would lose: viewings of the same kind on the same camera, by the days of the ledger (SPEC 15). Pure. */
import type { LedgerDay, ViewingKind } from '../../domain/ledger.ts';
import type { PolicyRow } from '../../domain/policy/policy.ts';
import { ownersOfStream, type RecorderLayout } from '../recorder-layout.ts';
import type { Change } from './would-change.ts';

export interface Use {
  readonly camera: string;
  /** Viewings, and exports. */
  readonly times: number;
  /** `2026-11-22` */
  readonly lastDay: string;
}

export interface UsedChange extends Change {
  /** The viewings of this kind, where the operation shows pictures and would be lost; empty for none. */
  readonly used?: readonly Use[];
}

/** Whose days of the ledger count: the person's, or those of an API token of the person, as `token:<id>`. */
export interface Watcher {
  readonly user: string;
  readonly viewer: string;
}

/** `watcherOf` is undefined for callers without a login, of whom the ledger tells nothing. */
export function withUse(
  changes: readonly Change[],
  days: readonly LedgerDay[],
  watcherOf: (change: Change) => Watcher | undefined,
  layout: RecorderLayout,
): readonly UsedChange[] {
  const uses = usesIn(days, layout);
  return changes.map((change) => {
    const watcher = watcherOf(change);
    const kind = kindOf(change.views);
    if (change.becomes !== 'refused' || change.cameras === 'all' || !watcher || !kind) return change;
    const used = change.cameras.flatMap((camera) => uses.get(keyOf({ ...watcher, kind, camera })) ?? []);
    return { ...change, used };
  });
}

const kindOf = (views: PolicyRow['views']): ViewingKind | undefined => (views === 'signalling' ? 'live' : views);

type UseKey = Watcher & { readonly kind: ViewingKind; readonly camera: string };

const keyOf = ({ user, viewer, kind, camera }: UseKey): string => JSON.stringify([user, viewer, kind, camera]);

/** The ledger has the name that stood in the request, which may be that of a stream. */
function usesIn(days: readonly LedgerDay[], layout: RecorderLayout): ReadonlyMap<string, Use> {
  const uses = new Map<string, Use>();
  for (const { camera: named, day, records, ...who } of days) {
    const owners: readonly string[] = ownersOfStream(layout, named);
    for (const camera of owners.length > 0 ? owners : [named]) {
      const key = keyOf({ ...who, camera });
      const { times, lastDay } = uses.get(key) ?? { times: 0, lastDay: day };
      uses.set(key, { camera, times: times + records, lastDay: day > lastDay ? day : lastDay });
    }
  }
  return uses;
}
