/** Names of cameras that are two: in roles of the file a problem, in the store a warning (SPEC 20). */
import type { Problem } from '../../config/problems/problems.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import { sitesSeenFrom } from '../../domain/accounts/site.ts';
import { ambiguousNames, ambiguousSentence, type Sites } from '../../domain/sites.ts';
import type { Store } from '../../store/open-store.ts';

/** What the store knows of the sites. `cameras`: those of this site, where they are known better than the store does. */
export async function sitesOf(
  { server }: ServiceConfig['settings'],
  store: Pick<Store, 'sites'>,
  cameras: readonly string[] | undefined,
): Promise<Sites | undefined> {
  if (server.site === undefined) return undefined;
  const listed = server.sites.map(({ name }) => name);
  const sites = sitesSeenFrom(server.site, listed, await store.sites.listSites());
  return cameras ? { ...sites, ownCameras: cameras } : sites;
}

/** Bare names in `auth.roles` that several sites have, each with its place and both spellings. */
export const ambiguousInFile = (
  { settings, placed }: Pick<ServiceConfig, 'settings' | 'placed'>,
  sites: Sites | undefined,
): readonly Problem[] =>
  [...settings.auth.roles].flatMap(([role, entries]) =>
    ambiguousNames(entries, sites).map((name) =>
      placed({
        path: ['auth', 'roles', role],
        message: `${ambiguousSentence(name)}; a name that is two gives the role nothing`,
      }),
    ),
  );

/** The same of roles and API tokens in the store, a sentence each. */
export async function ambiguousInStore(
  store: Pick<Store, 'roles' | 'apiTokens'>,
  sites: Sites | undefined,
): Promise<readonly string[]> {
  if (!sites) return [];
  const [roles, tokens] = await Promise.all([store.roles.listRoles(), store.apiTokens.listTokens()]);
  const inRoles = roles.flatMap(({ role, cameras }) =>
    ambiguousNames(cameras, sites).map(
      (name) => `the role ${role}: ${ambiguousSentence(name)}; until then the role does not see it`,
    ),
  );
  const inTokens = tokens.flatMap(({ name: token, user, cameras }) =>
    ambiguousNames(cameras ?? [], sites).map(
      (name) =>
        `the API token ${JSON.stringify(token)} of ${user}: ${ambiguousSentence(name)}; until then it does not see it: make another token`,
    ),
  );
  return [...inRoles, ...inTokens];
}
