/** The site that passkeys are made for: taken from `server.public_url` alone, never from a request (SPEC 12). */
import { isIP } from 'node:net';
import type { PublicUrl } from '../../domain/addresses.ts';
import { err, ok, type Result } from '../../domain/result.ts';

export interface RelyingParty {
  /** A domain: passkeys of it are shown on its pages and on no others (WebAuthn, "RP ID"). */
  readonly id: string;
  /** The origin as browsers write it: `https://nvr.example.com`. */
  readonly origin: string;
}

/** The sentence says why there are no passkeys, and what to do. */
export function relyingPartyOf(publicUrl: PublicUrl | undefined): Result<RelyingParty, string> {
  if (!publicUrl)
    return err('Passkeys are off: they are made for one address, so server.public_url must say where the service is');
  const { hostname, origin } = publicUrl;
  if (isIP(hostname) !== 0 || hostname.startsWith('['))
    return err(
      `Passkeys are off: browsers make them for a host name only, and server.public_url has the IP address ${hostname}`,
    );
  return ok({ id: hostname, origin });
}
