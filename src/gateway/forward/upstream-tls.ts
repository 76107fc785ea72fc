/** TLS towards an upstream: whose certificates are accepted, and for which name (SPEC 1, `nvr.ca`, `nvr.verify`). */
import { isIP } from 'node:net';
import type { Upstream } from '../../domain/addresses.ts';

export interface UpstreamTls {
  /** PEM of the certificate authority; undefined for the authorities that Node ships. */
  readonly ca: string | undefined;
  /** Whether certificates are checked at all. */
  readonly verify: boolean;
}

/**
 * Options of Node's TLS sockets. The certificate is checked against the host of `nvr.url` or `nvr.routes`. Without a server
 * name HTTP clients take it from the Host header, and the client chooses that one. An address has no server name (RFC 6066
 * section 3): Node then checks the certificate against the address itself.
 */
export const tlsOptionsFor = (upstream: Upstream, { ca, verify }: UpstreamTls) => ({
  servername: serverNameOf(upstream),
  rejectUnauthorized: verify,
  ...(ca === undefined ? {} : { ca }),
});

const serverNameOf = (upstream: Upstream): string =>
  upstream.kind === 'unix' || isIP(upstream.host) !== 0 ? '' : upstream.host;
