/** The sites that share a store: `/api/sites`, and what each tells the others: its cameras, the roles of its file, the digest of its signing secret (SPEC 20). */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { publicAddress } from '../../domain/addresses.ts';
import { repeated } from '../../domain/async.ts';
import { isAdministrator } from '../../domain/caller.ts';
import { unixSeconds } from '../../domain/clock.ts';
import type { Role } from '../../domain/names.ts';
import { CAMERAS, described, TEXT } from '../../routes/shapes.ts';
import type { SiteRecord } from '../../store/engine/tables.ts';
import type { Store } from '../../store/open-store.ts';
import { watchFault } from '../../telemetry/readiness.ts';
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
  const names = new Set(
    [...listed.map(({ name }) => name), ...records.map(({ site }) => site)].filter(
      (name) => name !== '' && name !== own,
    ),
  );
  const seesAll = isAdministrator(caller);
  const others = [...names].map((name) => {
    const url = listed.find((site) => site.name === name)?.url;
    const cameras = records.find(({ site }) => site === name)?.cameras ?? [];
    return { name, url: url ? publicAddress(url, '/') : null, ...(seesAll && { cameras: [...cameras] }) };
  });
  const known = seesAll ? others : others.filter(({ url }) => url !== null);
  return { site: own ?? null, others: known };
}

const RETRY_MS = 5000;

/** `site`: empty without `server.site`. Rejects with a store fault. */
export async function openSitePublisher(
  { store: { sites: store }, clock, log }: Pick<Services, 'store' | 'clock' | 'log'>,
  site: string,
  keyId: string,
) {
  const records = await store.listSites();
  const others = sitesOfOtherSecret(records, site, keyId);
  if (others.length > 0) log.error({ sites: others }, otherSecret(others));
  const known = records.find((record) => record.site === site);
  let wanted: Omit<SiteRecord, 'changedAt'> = { roles: [], ...(known && without(known)), site, keyId };
  let written: typeof wanted | undefined = known && without(known);
  const state = watchFault<unknown>({
    // The store itself tells how it is.
    onFault: (err) =>
      log.warn({ err }, 'the cameras of this site could not be written to the store: retrying every 5 s'),
  });
  const writing = repeated(async () => {
    const record = wanted;
    if (isDeepStrictEqual(record, written)) return undefined;
    try {
      await store.publishSite({ ...record, changedAt: unixSeconds(clock) });
      written = record;
      return state.found();
    } catch (fault) {
      state.found(fault);
      return RETRY_MS;
    }
  });
  const publish = (change: Partial<SiteRecord>): Promise<void> => {
    wanted = { ...wanted, ...change };
    return writing.now();
  };
  return {
    /** The cameras of the NVR have changed. Never rejects: what cannot be written is tried again. */
    cameras: (cameras: readonly string[]): Promise<void> => publish({ cameras }),
    /** The roles of the configuration file. Never rejects. */
    roles: (roles: readonly Role[]): Promise<void> => publish({ roles }),
    /** The roles as they were published last, by this process or an earlier one. */
    publishedRoles: (): readonly Role[] => written?.roles ?? [],
    close: writing.close,
  };
}

const without = ({ changedAt: _, ...record }: SiteRecord): Omit<SiteRecord, 'changedAt'> => record;

/** The key with the sentence of both, for the log and for `postern check`. */
export const otherSecret = (sites: readonly string[]): string =>
  `the signing secret is not that of the site ${sites.join(', ')}, so a session of one site is none at the other: give all sites one secret, by SERVICE_JWT_SECRET or by a copy of the file .jwt_secret`;

/** The sites whose sessions are signed with another secret. */
export const sitesOfOtherSecret = (records: readonly SiteRecord[], site: string, keyId: string): readonly string[] =>
  records.filter((record) => record.site !== site && record.keyId !== keyId).map((record) => record.site);

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
        `the site ${other.site} has cameras of the same name (${other.names.join(', ')}): for roles, API tokens and all else each name means both cameras. Rename the cameras that must be told apart`,
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
