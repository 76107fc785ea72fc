/** Takes the place of this site on its store at a start: refuses a service without a name beside others, and names the rows of one that had none (SPEC 20). */
import type { Logger } from 'pino';
import { rememberedStore } from '../../config/marks.ts';
import { formatProblem } from '../../config/problems/problems.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import type { Store } from '../../store/open-store.ts';

export interface SiteClaim {
  /** Where `.configured` is. */
  readonly directory: string;
  readonly config: Pick<ServiceConfig, 'file' | 'placed'> & {
    readonly settings: { readonly server: { readonly site?: string | undefined } };
  };
  readonly store: Pick<Store, 'sites' | 'identity'>;
  readonly log: Pick<Logger, 'info'>;
}

/** Rejects with a sentence that names the next step. */
export async function claimSite({ directory, config, store, log }: SiteClaim): Promise<void> {
  const own = config.settings.server.site;
  const claim = await claimOf(own, directory, store);
  if (claim.kind === 'free') return;
  if (claim.kind === 'unnamed' && own !== undefined && (await store.sites.renameSite('', own)) === 'renamed')
    return log.info({ site: own }, 'links and screens that were made before this site had a name are of this site now');
  throw new Error(formatProblem(config.file, config.placed({ path: ['server', 'site'], message: claim.message })));
}

/** `unnamed`: the only site of the store gets its first name now, its links and screens have none; else `message` says why not. */
export type Claim = { readonly kind: 'free' } | { readonly kind: 'unnamed' | 'refused'; readonly message: string };

/** Changes nothing. */
export async function claimOf(
  own: string | undefined,
  directory: string,
  store: Pick<Store, 'sites' | 'identity'>,
): Promise<Claim> {
  const sites = (await store.sites.listSites()).map(({ site }) => site);
  if (own === undefined) {
    const named = sites.filter((site) => site !== '');
    return named.length === 0 ? { kind: 'free' } : { kind: 'refused', message: nameless(named) };
  }
  if (!sites.includes('')) return { kind: 'free' };
  const isOwn = (await rememberedStore(directory)) === (await store.identity()).id;
  return { kind: isOwn ? 'unnamed' : 'refused', message: unnamed(own) };
}

const nameless = (named: readonly string[]): string =>
  `is missing, but the store is that of ${listed(named)}: give this one a name of its own there, or remove what is left of a site with "postern sites forget NAME"`;

const unnamed = (own: string): string =>
  `is ${JSON.stringify(own)}, and the store is used by a service without a name: set server.site there and start it; if that was this one, run "postern sites rename - ${own}" here`;

const listed = (names: readonly string[]): string =>
  `${names.length === 1 ? 'the site' : 'the sites'} ${names.join(', ')}`;
