/** Which rows have changed, as the notices of PostgreSQL name them (SPEC 10). Pure. */
import type { HeardChanges } from '../../domain/store/heard-changes.ts';

export interface RowNotices extends HeardChanges {
  /** A notice has come: `users vera`, or `users` alone from a version that names no rows. */
  heard(notice: string): void;
  /** Notices may have been lost: anything may have changed. */
  missed(): void;
  /** This process has changed something, which a notice will name. */
  changedHere(): void;
  /** All notices of what was changed here up to that revision have come. */
  heardOwn(upTo: number): void;
  /** Whether a change of this process was not named yet. */
  owesNotice(): boolean;
}

/** More than this process remembers of accounts, tokens and links. */
const MOST_ROWS = 20_000;

export function createRowNotices(): RowNotices {
  let revision = 0;
  let anythingAt = 0;
  let [ownAt, ownHeardUpTo] = [0, 0];
  /** The revision of the last change of each row and each table. */
  const rows = new Map<string, number>();
  const watchers = new Map<string, (() => void)[]>();
  const call = (table: string): void => {
    for (const act of watchers.get(table) ?? []) act();
  };
  const missed = (): void => {
    revision += 1;
    anythingAt = revision;
    rows.clear();
    for (const table of watchers.keys()) call(table);
  };
  const owesNotice = (): boolean => ownAt > ownHeardUpTo;
  return {
    revision: () => revision,
    haveChanged: (names, since) =>
      anythingAt > since || (owesNotice() && ownAt > since) || names.some((name) => (rows.get(name) ?? 0) > since),
    watch: (table, act) => void watchers.set(table, [...(watchers.get(table) ?? []), act]),
    heard(notice) {
      const [table = '', key] = notice.split(' ', 2);
      if (key === undefined || rows.size >= MOST_ROWS) return missed();
      revision += 1;
      rows.set(notice, revision).set(table, revision);
      call(table);
    },
    missed,
    changedHere() {
      revision += 1;
      ownAt = revision;
    },
    heardOwn(upTo) {
      ownHeardUpTo = Math.max(ownHeardUpTo, upTo);
    },
    owesNotice,
  };
}
