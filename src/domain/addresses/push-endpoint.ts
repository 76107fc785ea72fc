/** The address of a push subscription (RFC 8030), which the NVR calls: one of a known push service (SPEC 5). */

/**
 * A host name of two labels or more, and a path: no user, no port, no IP address in any spelling, because the last label
 * begins with a letter; no dot at the end, and nothing but ASCII, so that every client reads the same host.
 */
const ENDPOINT =
  /^https:\/\/(?<host>(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z](?:[a-z0-9-]*[a-z0-9]))\/[\w.~!$&'()*+,;=:@%/?-]*$/i;

/** A pattern of `nvr.push_endpoints`: a host name, or `*.` and one, which has two labels or more. */
export const PUSH_HOST = /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z](?:[a-z0-9-]*[a-z0-9])$/;

export function isPushEndpoint(address: string, hosts: readonly string[]): boolean {
  const host = ENDPOINT.exec(address)?.groups?.['host']?.toLowerCase();
  return host !== undefined && hosts.some((pattern) => isOfPattern(host, pattern));
}

const isOfPattern = (host: string, pattern: string): boolean =>
  pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
