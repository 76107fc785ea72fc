/** What several NVRs on one store must be told: cameras of two sites that have one name, and entries of former times that name a site (SPEC 20). */
import type { Settings } from '../../config/schema/schema.ts';
import type { Store } from '../../store/open-store.ts';

/** A sentence each. `cameras`: those of this site, where they are known better than the store does. */
export async function siteWarnings(
  { server, auth }: Settings,
  store: Pick<Store, 'sites' | 'roles' | 'grants'>,
  cameras: readonly string[] | undefined,
): Promise<readonly string[]> {
  const own = server.site;
  if (own === undefined) return [];
  const records = await store.sites.listSites();
  const mine = cameras ?? records.find(({ site }) => site === own)?.cameras ?? [];
  const shared = records
    .filter(({ site }) => site !== own)
    .map((other) => ({ ...other, names: mine.filter((camera) => other.cameras?.includes(camera)) }))
    .filter((other) => other.names.length > 0)
    .map(
      (other) =>
        `the site ${other.site} has cameras of the same name (${other.names.join(', ')}): for roles, API tokens and the curtain each name means both cameras. Rename those that must be told apart`,
    );
  const names = [own, ...server.sites.map(({ name }) => name), ...records.map(({ site }) => site)];
  const [roles, tokens] = await Promise.all([store.roles.listRoles(), store.grants.list('api-token')]);
  const holders = [
    ...[...auth.roles].map(([role, entries]) => [`auth.roles.${role}`, entries] as const),
    ...roles.map(({ role, cameras: entries }) => [`the role ${role}`, entries] as const),
    ...tokens.map(
      ({ name, user, cameras: entries }) =>
        [`the API token ${JSON.stringify(name)} of ${user}`, entries ?? []] as const,
    ),
  ];
  const former = holders.flatMap(([holder, entries]) =>
    entries
      .filter((entry) => names.some((site) => site !== '' && entry.startsWith(`${site}:`)))
      .map(
        (entry) =>
          `${holder}: ${JSON.stringify(entry)} names a site, which no entry can do any more, so it gives nothing: write the name of the camera alone, which means it at every site`,
      ),
  );
  return [...shared, ...former];
}
