/** Problems between the keys of several NVRs on one store: `server.site`, `server.sites`, `auth.cookie_domain` (SPEC 20). */
import { isDomain, isWithinDomain } from '../domain/addresses/cookie-domain.ts';
import { type Finding, valueAt, when } from './problems/problems.ts';
import { parsePublicUrl } from './schema/parse-public-url.ts';

export type TreeCheck = (tree: unknown) => readonly Finding[];

const sitesIn = (tree: unknown): readonly unknown[] => {
  const list = valueAt(tree, ['server', 'sites']);
  return Array.isArray(list) ? list : [];
};

function sitesDiffer(tree: unknown): readonly Finding[] {
  const own = valueAt(tree, ['server', 'site']);
  const names = sitesIn(tree).map((entry) => valueAt(entry, ['name']));
  if (own === undefined)
    return when(
      names.length > 0,
      ['server', 'sites'],
      'names other sites, and this one has no name: set server.site, for example to house',
    );
  return names.flatMap((name, index) => {
    const path = ['server', 'sites', index, 'name'];
    return [
      ...when(name === own, path, `${JSON.stringify(name)} is this site itself (server.site): name only the others`),
      ...when(
        name !== undefined && names.indexOf(name) < index,
        path,
        `${JSON.stringify(name)} is named twice: give each site a name of its own`,
      ),
    ];
  });
}

/** The table of events does not know sites: two cameras of one name would be one. */
function siteHasNoEvents(tree: unknown): readonly Finding[] {
  if (valueAt(tree, ['server', 'site']) === undefined) return [];
  const source = valueAt(tree, ['events', 'source']);
  const isStore = source === 'store' || (source === undefined && valueAt(tree, ['nvr', 'url']) === undefined);
  return when(
    isStore,
    ['events', 'source'],
    'is store, and events in the store belong to no site: with server.site set nvr.url, and here nvr or nvr-database',
  );
}

/** A browser drops a cookie whose domain is not the end of the host name: nobody could log in. */
function cookieReaches(tree: unknown): readonly Finding[] {
  const path = ['auth', 'cookie_domain'];
  const domain = valueAt(tree, path);
  if (typeof domain !== 'string' || !isDomain(domain)) return [];
  const address = valueAt(tree, ['server', 'public_url']);
  const parsed = typeof address === 'string' ? parsePublicUrl(address) : undefined;
  if (!parsed?.ok || isWithinDomain(parsed.value.hostname, domain)) return [];
  const message = `${JSON.stringify(domain)} is not the end of the host name of server.public_url, ${parsed.value.hostname}: browsers would drop the session cookie; write the part that the host names have in common`;
  return [{ path, message }];
}

export const SITE_CHECKS: readonly TreeCheck[] = [sitesDiffer, siteHasNoEvents, cookieReaches];
