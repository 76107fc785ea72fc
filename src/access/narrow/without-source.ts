/** What is left of a camera's source for all but admins: its path, its query and its user may be secrets. */
import { isRecord } from '../../domain/json.ts';

/** `exec:ffmpeg -i …`, `ffmpeg:rtsp://…`, `nest:?…`: a kind and a colon, and not the port of a client's address. */
const OF_A_KIND = /^(?<kind>[a-z][a-z0-9+.-]{0,30}:)(?!\d{1,5}$)/i;
const HOST = /^[\w.:[\]-]*/;

/** The scheme and the host of an address, the kind of any other source: `rtsp://10.0.0.5:554`, `exec:`. */
export function withoutSource(text: string): string {
  const kind = OF_A_KIND.exec(text)?.groups?.['kind'];
  if (kind === undefined) return text.includes('://') || text.includes('@') ? '' : text;
  const start = `${kind}//`;
  return text.startsWith(start) ? start + hostOf(text.slice(start.length)) : kind;
}

/** Empty when it cannot be told: an `@` behind a slash ends a password with a slash, or belongs to the path. */
function hostOf(rest: string): string {
  const at = rest.lastIndexOf('@');
  return /[/?#\\]/.test(rest.slice(0, at + 1)) ? '' : (HOST.exec(rest.slice(at + 1))?.[0] ?? '');
}

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
