/** The base64 picture of a record as a `data:` URL: the kind is told from its first bytes, never from what is claimed. */

// biome-ignore format: a table
const KINDS: readonly [firstBytes: RegExp, type: string][] = [
  [/^\x89PNG\r\n/,          'image/png'],
  [/^\xff\xd8\xff/,         'image/jpeg'],
  [/^RIFF.{4}WEBP/s,        'image/webp'],
  [/^GIF8/,                 'image/gif'],
  // In an <img> an SVG is only a picture: it runs no script and loads nothing.
  [/^(?:<svg[\s>]|<\?xml\s)/, 'image/svg+xml'],
];

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Enough to tell the kind: twelve bytes. */
const HEAD_CHARACTERS = 16;

export function pictureUrl(base64: string | undefined): string | undefined {
  if (base64 === undefined || !BASE64.test(base64) || base64.length < HEAD_CHARACTERS) return undefined;
  const head = atob(base64.slice(0, HEAD_CHARACTERS));
  const kind = KINDS.find(([firstBytes]) => firstBytes.test(head));
  return kind && `data:${kind[1]};base64,${base64}`;
}
