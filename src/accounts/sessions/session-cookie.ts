/** The session cookie, as it stands on the wire (SPEC 1, 4.1). */
import type { CorridorState } from '../../domain/verdict.ts';

export interface CookieSettings {
  readonly name: string;
  /** `auto`: when the client came over TLS, here or at a trusted proxy. */
  readonly secure: 'auto' | boolean;
  readonly sameSite: 'lax' | 'strict' | 'none';
  /** Below the base path. */
  readonly path: string;
}

/** What is known of the client that gets the cookie. */
export interface CookieClient {
  readonly encrypted: boolean;
  /** The prefix below which it sees the service. */
  readonly basePath?: string | undefined;
}

export const cookieClientOf = ({ clientEncrypted, basePath }: CorridorState): CookieClient => ({
  encrypted: clientEncrypted,
  basePath,
});

/** The order and the spelling are the reference's: its clients read the line with more or less care. */
export const cookieLine = (settings: CookieSettings, token: string, maxAge: number, client: CookieClient): string =>
  `${settings.name}=${token}; HttpOnly; Max-Age=${maxAge}; Path=${client.basePath ?? ''}${settings.path}; SameSite=${settings.sameSite}${
    isSecure(settings, client) ? '; Secure' : ''
  }`;

/** Browsers drop a `SameSite=None` cookie that is not Secure. */
const isSecure = ({ secure, sameSite }: CookieSettings, { encrypted }: CookieClient): boolean =>
  sameSite === 'none' || (secure === 'auto' ? encrypted : secure);
