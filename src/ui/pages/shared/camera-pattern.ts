/** Which cameras an entry of a role means: its own name, or every name that a pattern with `*` fits (SPEC 4.3). */
export const matchesEntry = (entry: string, camera: string): boolean =>
  entry === camera || (entry.includes('*') && asPattern(entry).test(camera));

export const camerasOf = (entries: readonly string[], known: readonly string[]): string[] =>
  known.filter((camera) => entries.some((entry) => matchesEntry(entry, camera)));

const asPattern = (entry: string): RegExp => new RegExp(`^${entry.split('*').map(escaped).join('.*')}$`, 'su');

/** `RegExp.escape` is too new for many a browser. */
const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
