/** The session cookie, as it stands on the wire (SPEC 1, 4.1). */

export interface CookieSettings {
  readonly name: string;
  /** `auto`: when the client came over TLS, here or at a trusted proxy. */
  readonly secure: 'auto' | boolean;
  readonly sameSite: 'lax' | 'strict' | 'none';
  /** The path below the base path. */
  readonly path: string;
  /** `auth.cookie_domain`: the browser sends it to all hosts below, whatever their base paths. Absent: to this host alone. */
  readonly domain?: string | undefined;
}

/** What is known of the client that gets the cookie. */
export interface CookieClient {
  readonly clientEncrypted: boolean;
  /** The prefix below which it sees the service. */
  readonly basePath?: string | undefined;
}

/** The order and the spelling are the reference's: its clients read the line with more or less care. */
export const cookieLine = (settings: CookieSettings, token: string, maxAge: number, client: CookieClient): string =>
  `${settings.name}=${token}${domainPart(settings)}; HttpOnly; Max-Age=${maxAge}; Path=${cookiePath(settings, client)}; SameSite=${settings.sameSite}${
    isSecure(settings, client) ? '; Secure' : ''
  }`;

/** What makes a browser forget the cookie: the one of the domain, and one from before there was a domain. */
export const clearingLines = (settings: CookieSettings, client: CookieClient): readonly string[] => [
  cookieLine(settings, '', 0, client),
  ...(settings.domain === undefined ? [] : [cookieLine({ ...settings, domain: undefined }, '', 0, client)]),
];

const domainPart = ({ domain }: CookieSettings): string => (domain === undefined ? '' : `; Domain=${domain}`);

const cookiePath = ({ domain, path }: CookieSettings, { basePath = '' }: CookieClient): string =>
  domain === undefined ? `${basePath}${path}` : path;

/** Browsers drop a `SameSite=None` cookie that is not Secure. */
const isSecure = ({ secure, sameSite }: CookieSettings, { clientEncrypted }: CookieClient): boolean =>
  sameSite === 'none' || (secure === 'auto' ? clientEncrypted : secure);
