/** Text as PostgreSQL can hold it: no text of it has a NUL, which SQLite and JSON allow. */

/**
 * The text with U+FFFD in the place of NUL, as `pg` itself writes half of a surrogate pair: what was written so is found by
 * the same text.
 */
export const withoutNul = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text);

/** Parameters of a statement. */
export const parametersWithoutNul = (values: readonly unknown[]): unknown[] =>
  values.map((value) => (typeof value === 'string' ? withoutNul(value) : value));
