/** HSTS: `Strict-Transport-Security` on every response of the TLS listener (SPEC 1, `tls.hsts`; RFC 6797). */
import type { ServerResponse } from 'node:http';

/** `seconds` is undefined for a self-signed certificate: a browser that insists on HTTPS allows no exception for it. */
export function setHsts(response: ServerResponse, seconds: number | undefined): void {
  if (seconds !== undefined) response.setHeader('Strict-Transport-Security', `max-age=${seconds}`);
}
