/** The sites that share a store: `/api/sites`, and what the operator is warned of (SPEC 20). */
import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { publicAddress } from '../../domain/addresses.ts';
import { isAdministrator } from '../../domain/caller.ts';
import { CAMERAS, described, TEXT } from '../../routes/shapes.ts';
import type { Store } from '../../store/open-store.ts';
import { type Call, declaring } from '../http/kernel.ts';

export const SITES = described('Sites', {
  site: TEXT.nullable().meta({ description: 'This one; null where there is one site alone' }),
  others: z.array(
    z.object({
      name: TEXT,
      url: TEXT.nullable().meta({ description: 'null: server.sites does not name it' }),
      cameras: CAMERAS.optional().meta({ description: 'For admins' }),
    }),
  ),
});

const route = declaring<Services>();

// biome-ignore format: a table
export const SITE_ROUTES = [
  route({ route: 'GET /api/sites', access: 'any', note: 'cameras for admins alone', summary: 'The sites that share accounts, each with an NVR of its own', yes: [200, SITES], run: list }),
];

async function list(
  { caller }: Call,
  { settings, store }: Pick<Services, 'settings' | 'store'>,
): Promise<z.output<typeof SITES>> {
  const { site: own, sites: listed } = settings.server;
  const records = own === undefined ? [] : await store.sites.listSites();
  const names = new Set([...listed.map(({ name }) => name), ...records.map(({ site }) => site)]);
  const seesAll = isAdministrator(caller);
  const named = [...names].filter((name) => name !== '' && name !== own);
  const others = named.map((name) => {
    const url = listed.find((site) => site.name === name)?.url;
    const cameras = records.find(({ site }) => site === name)?.cameras ?? [];
    return { name, url: url ? publicAddress(url, '/') : null, ...(seesAll && { cameras: [...cameras] }) };
  });
  const known = seesAll ? others : others.filter(({ url }) => url !== null);
  return { site: own ?? null, others: known };
}

/** A sentence each. `cameras`: those of this site, where they are known better than the store does. */
export async function siteWarnings(
  { server, auth }: Settings,
  store: Pick<Store, 'sites' | 'roles' | 'grants'>,
  cameras?: readonly string[],
): Promise<readonly string[]> {
  const own = server.site;
  if (own === undefined) return [];
  const records = await store.sites.listSites();
  const mine = cameras ?? records.find(({ site }) => site === own)?.cameras ?? [];
  const shared = records.flatMap(({ site, cameras: others }) => {
    const names = site === own ? [] : mine.filter((camera) => others?.includes(camera));
    return names.length === 0
      ? []
      : `the site ${site} has cameras of the same name (${names.join(', ')}): for roles, API tokens and all else each name means both cameras. Rename the cameras that must be told apart`;
  });
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
  const isFormer = (entry: string) => names.some((site) => site !== '' && entry.startsWith(`${site}:`));
  const former = holders.flatMap(([holder, entries]) =>
    entries.filter(isFormer).map((entry) => `${holder}: ${JSON.stringify(entry)} ${FORMER}`),
  );
  return [...shared, ...former];
}

const FORMER =
  'names a site, which no entry can do any more, so it gives nothing: write the name of the camera alone, which means it at every site';
