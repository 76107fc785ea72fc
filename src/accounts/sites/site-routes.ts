/** `GET /api/sites`: the sites on the store, for the account menu; for an admin their cameras, too (SPEC 20). */
import { z } from 'zod';
import { type PublicUrl, publicAddress } from '../../domain/addresses/public-url.ts';
import type { MaybePromise } from '../../domain/async/maybe-promise.ts';
import { isAdministrator } from '../../domain/caller.ts';
import type { Sites } from '../../domain/sites.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { CAMERAS, named, TEXT } from '../../routes/shapes.ts';
import { refuseFor, respond } from '../http/responses.ts';

export interface SiteRouteDeps {
  /** `server.sites`. */
  readonly listed: readonly { readonly name: string; readonly url: PublicUrl }[];
  /** Undefined without `server.site`. */
  readonly latestSites: () => MaybePromise<Sites | undefined>;
}

const SITES = named(
  'Sites',
  z.object({
    site: TEXT.nullable().meta({ description: 'This one; null where there is one site alone' }),
    others: z.array(
      z.object({
        name: TEXT,
        url: TEXT.nullable().meta({ description: 'null: server.sites does not name it' }),
        cameras: CAMERAS.optional().meta({ description: 'For admins; entries name them as site:camera' }),
      }),
    ),
  }),
);

// biome-ignore format: a table
export const SITE_ROUTES: readonly OwnRoute<SiteRouteDeps>[] = [
  { route: 'GET /api/sites', access: 'any', note: 'cameras for admins alone', summary: 'The sites that share accounts, each with an NVR of its own', yes: [200, SITES], handler: list },
];

async function list(ctx: RouteContext, { listed, latestSites }: SiteRouteDeps): Promise<void> {
  const { caller } = ctx.state;
  if (!caller) return refuseFor(ctx, 'no-credentials');
  const sites = await latestSites();
  const seesAll = isAdministrator(caller);
  const others = [...(sites?.others ?? [])].map(([name, cameras]) => {
    const url = listed.find((site) => site.name === name)?.url;
    return { name, url: url ? publicAddress(url, '/') : null, ...(seesAll && { cameras: [...cameras] }) };
  });
  const known = seesAll ? others : others.filter(({ url }) => url !== null);
  respond(ctx, 200, { site: sites?.own ?? null, others: known } satisfies z.output<typeof SITES>);
}
