/** Security headers of Postern's own pages: Content-Security-Policy, nosniff, Referrer-Policy, frame ancestors (SPEC 8). */
export type PageHeaders = Readonly<Record<string, string>>;

/** `data:` pictures are the thumbnails that come inside an event record (interface 2.4), `blob:` media the live streams of a wall. */
const contentSecurityPolicy = (frameAncestors: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors}`,
  ].join('; ');

/** The headers of assets: opened directly, an asset is a page. `frameAncestors` is `ui.frame_ancestors`, parsed. */
export const assetHeaders = (frameAncestors: string): PageHeaders => ({
  'Content-Security-Policy': contentSecurityPolicy(frameAncestors),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
});

export const pageHeaders = (frameAncestors: string): PageHeaders => ({
  ...assetHeaders(frameAncestors),
  'Cache-Control': 'no-cache',
});
