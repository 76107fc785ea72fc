/** The domain of the session cookie (`auth.cookie_domain`): which host names share a login (RFC 6265 section 5.1.3). Pure. */

const DOMAIN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i;
const LONGEST_DOMAIN = 253;

export const isDomain = (text: string): boolean => text.length <= LONGEST_DOMAIN && DOMAIN.test(text);

/** Whether a browser takes a cookie of that domain from that host. */
export const isWithinDomain = (host: string, domain: string): boolean =>
  host.toLowerCase() === domain.toLowerCase() || host.toLowerCase().endsWith(`.${domain.toLowerCase()}`);
