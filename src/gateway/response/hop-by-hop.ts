/** Hop-by-hop headers: they are about one connection, and are never passed on, in requests and responses (RFC 9110 section 7.6.1). */

/** The hop-by-hop headers by lower-case name. `Trailer` because trailers are announced by their presence alone. */
// biome-ignore format: a table
export const HOP_BY_HOP_HEADERS: readonly string[] = [
  'connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization', 'te', 'trailer', 'upgrade',
  'http2-settings',
];

const NONE: ReadonlySet<string> = new Set();
/** Frequent values, which name no header that would be passed on. */
const NAMING_NONE: ReadonlySet<string> = new Set(['keep-alive', 'close', 'Upgrade', 'upgrade']);

/** The headers that `Connection` names, in lower case: they are hop-by-hop as well. `lines` are its values. */
export function namedByConnection(lines: readonly string[]): ReadonlySet<string> {
  if (lines.length === 0 || (lines.length === 1 && NAMING_NONE.has(lines[0] ?? ''))) return NONE;
  return new Set(lines.flatMap((line) => line.split(',').map((name) => name.trim().toLowerCase())));
}
