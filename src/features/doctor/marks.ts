/** The kinds of proxies, and what doctor writes into its probes, to find again in what arrived. */

/** An address of a network that is for documents (RFC 5737). */
export const FORGED_ADDRESS = '203.0.113.77';
export const FORGED_NAME = 'postern-doctor-forged';
export const COOKIE = 'postern_doctor';
/** What rewriting would spoil: an escape, a plus, a second slash in a query. */
export const ODD_TARGET = '/seen?a=b%2Cc+d&e=f%20g&h=//i';
/** Some caches keep what has such an end for everybody, whatever the answer says. */
export const PICTURE = '/picture.jpg';
export const UPLOAD_BYTES = 2 * 1024 * 1024;
export const FILE_BYTES = 64 * 1024;
/** A stream that ends with other words was cut, even where the proxy ended it in good form. */
export const STREAM_END = 'data: end\n\n';
export const LONGEST_SILENCE_SECONDS = 120;
/** The part of a file that is asked for. */
export const RANGE = { first: 1000, last: 1999 } as const;

export const PROXY_KINDS = ['nginx', 'npm', 'caddy', 'traefik', 'haproxy', 'apache', 'cloudflare'] as const;
/** `npm` is Nginx Proxy Manager. */
export type ProxyKind = (typeof PROXY_KINDS)[number];
