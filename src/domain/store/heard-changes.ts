/** What this process has heard of changes of a store that others write, too: which rows, and when in the order of changes (SPEC 10). */

/** A row is named by its table and its key, `users vera`; a table's name alone stands for all of its rows. */
export interface HeardChanges {
  /** Rises with each change that was heard of. */
  revision(): number;
  /** Whether one of these rows was changed after that revision, or may have been. */
  haveChanged(rows: readonly string[], since: number): boolean;
  /** Calls `act` after each change of a row of that table, and after changes may have gone unheard. */
  watch(table: string, act: () => void): void;
}
