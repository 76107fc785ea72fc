/** Frigate's configuration without the paths of its addresses: they may be secrets (SPEC 5). */
import { hostOf, withoutSource } from '../../access/narrow/without-source.ts';
import { isRecord } from '../../domain/json.ts';

/** Sections of the configuration whose texts are sources; in all others addresses are cut where they stand in a text. */
const OF_SOURCES: ReadonlySet<string> = new Set(['inputs', 'go2rtc']);

/** A configuration without the paths of its addresses. Names of cameras and streams are keys: they stay. */
export function withoutSources(json: unknown, isSource = false): unknown {
  if (typeof json === 'string') return isSource ? withoutSource(json) : json.replace(/\S+/g, withoutPath);
  if (Array.isArray(json)) return json.map((part) => withoutSources(part, isSource));
  if (!isRecord(json)) return json;
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => [key, withoutSources(value, isSource || OF_SOURCES.has(key))]),
  );
}

/** An address in a text, or one that is encoded as a parameter of another. */
function withoutPath(word: string): string {
  const from = word.indexOf('://');
  const plain = from < 0 ? word : word.slice(0, from + 3) + hostOf(word.slice(from + 3));
  const encoded = plain.toLowerCase().indexOf('%3a%2f%2f');
  return encoded < 0 ? plain : plain.slice(0, encoded);
}
