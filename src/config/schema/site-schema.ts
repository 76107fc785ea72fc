/** The keys `server.site`, `server.sites` and `auth.cookie_domain`: several NVRs on one store (SPEC 20). */
import { isIP } from 'node:net';
import { z } from 'zod';
import { isSiteName } from '../../domain/accounts/site.ts';
import { isDomain } from '../../domain/addresses/cookie-domain.ts';
import { parsePublicUrl } from './parse-public-url.ts';
import { parsed, text } from './value-types.ts';

const MOST_SITES = 100;

const siteName = () =>
  text(
    isSiteName,
    (shown) => `${shown} is not a name of a site: write 1 to 30 lower-case letters, digits and hyphens, such as barn`,
  );

const otherSite = z.strictObject({
  name: siteName().describe('What that site has as server.site.').meta({ widens: 'never' }),
  url: parsed(parsePublicUrl).describe('Address that people use for that site.').meta({ widens: 'never' }),
});

export const siteKeys = {
  site: siteName().optional().meta({
    description:
      'Name of this site, where several NVRs have a Postern each and all use one store. A camera in a role, an API token or the curtain is then that camera at every site. Never change it without "postern sites rename". Unset: this is the only one.',
    example: 'house',
    widens: 'never',
  }),
  sites: z
    .array(otherSite)
    .max(MOST_SITES)
    .prefault([])
    .meta({
      description: 'The other sites on the same store. The account menu of the console leads to them.',
      example: [{ name: 'barn', url: 'https://barn.example.com' }],
      widens: 'never',
    }),
};

export const cookieDomainKey = {
  cookie_domain: text(
    (domain) => isDomain(domain) && domain.includes('.') && isIP(domain) === 0,
    (shown) =>
      `${shown} is not a domain that browsers take for cookies: write the part that the host names of the sites have in common, such as example.com`,
  )
    .transform((domain) => domain.toLowerCase())
    .optional()
    .meta({
      description:
        'Domain of the session cookie: one login for all sites whose host names end in it. Every other server below that domain gets the cookie, too, so that all of them must be your own. Unset: the cookie is for one host name.',
      example: 'example.com',
      widens: 'never',
    }),
};
