/** What is left of a camera's source for all but admins: its path, its query and its user may be secrets. */

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
export function hostOf(rest: string): string {
  const at = rest.lastIndexOf('@');
  return /[/?#\\]/.test(rest.slice(0, at + 1)) ? '' : (HOST.exec(rest.slice(at + 1))?.[0] ?? '');
}
