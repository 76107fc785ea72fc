/** Which rows have changed, as the notices of PostgreSQL name them (SPEC 10). Pure. */
import type { HeardChanges } from '../../domain/store/heard-changes.ts';

export interface RowNotices extends HeardChanges {
  /** A notice has come: `users vera`, or `users` alone from a version that names no rows. */
  heard(notice: string): void;
  /** Notices may have been lost: anything may have changed. */
  missed(): void;
  /** This process has changed the row of that name; without one, nothing that others remember by rows. */
  changedHere(row?: string): void;
}

/** More than this process remembers of accounts, tokens and links. */
const MOST_ROWS = 20_000;

export function createRowNotices(): RowNotices {
  let revision = 0;
  let anythingAt = 0;
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
  const mark = (row: string): string => {
    const [table = ''] = row.split(' ', 1);
    rows.set(row, revision).set(table, revision);
    return table;
  };
  return {
    revision: () => revision,
    haveChanged: (names, since) => anythingAt > since || names.some((name) => (rows.get(name) ?? 0) > since),
    watch: (table, act) => void watchers.set(table, [...(watchers.get(table) ?? []), act]),
    heard(notice) {
      if (!notice.includes(' ') || rows.size >= MOST_ROWS) return missed();
      revision += 1;
      call(mark(notice));
    },
    missed,
    changedHere(row) {
      if (rows.size >= MOST_ROWS) return missed();
      revision += 1;
      if (row !== undefined) mark(row);
    },
  };
}
