/** The headers of every page of Postern's own: no script, style or frame but its own (SPEC 8). */

/** `data:` pictures are the thumbnails that come inside an event record (interface 2.4). */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** For assets as well: a script that is read as a page would be one. */
export const ASSET_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
};

export const PAGE_HEADERS: Readonly<Record<string, string>> = { ...ASSET_HEADERS, 'Cache-Control': 'no-cache' };
