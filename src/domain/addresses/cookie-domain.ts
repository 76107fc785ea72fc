/** The domain of the session cookie (`auth.cookie_domain`): which host names share a login (RFC 6265 section 5.1.3). Pure. */

const DOMAIN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i;
const LONGEST_DOMAIN = 253;

/**
 * Whether a page of another site may show ours in a frame: browsers send it the session cookie only with `SameSite=None`. `ancestors` in the
 * spelling of Content-Security-Policy.
 */
export const isFramedElsewhere = (ancestors: string, origin: string | undefined, domain: string | undefined): boolean =>
  ancestors
    .split(' ')
    .filter((source) => !source.startsWith("'"))
    .some((source) => {
      const [, , host = ''] = /^([a-z]+:\/\/)?(?:\*\.)?([^:/]+)/i.exec(source) ?? [];
      const isOwn = origin !== undefined && origin === source.toLowerCase();
      return !isOwn && !(domain !== undefined && isWithinDomain(host, domain));
    });

export const isDomain = (text: string): boolean => text.length <= LONGEST_DOMAIN && DOMAIN.test(text);

/** Whether a browser takes a cookie of that domain from that host. */
export const isWithinDomain = (host: string, domain: string): boolean =>
  host.toLowerCase() === domain.toLowerCase() || host.toLowerCase().endsWith(`.${domain.toLowerCase()}`);
