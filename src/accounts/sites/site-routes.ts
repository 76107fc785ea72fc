/** `GET /api/sites`: the sites on the store, for the account menu; for an admin their cameras, too (SPEC 20). */
import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import { publicAddress } from '../../domain/addresses.ts';
import { isAdministrator } from '../../domain/caller.ts';
import { CAMERAS, named, TEXT } from '../../routes/shapes.ts';
import { type Call, declaring } from '../http/kernel.ts';

export const SITES = named(
  'Sites',
  z.object({
    site: TEXT.nullable().meta({ description: 'This one; null where there is one site alone' }),
    others: z.array(
      z.object({
        name: TEXT,
        url: TEXT.nullable().meta({ description: 'null: server.sites does not name it' }),
        cameras: CAMERAS.optional().meta({ description: 'For admins' }),
      }),
    ),
  }),
);

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
