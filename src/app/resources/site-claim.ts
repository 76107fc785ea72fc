/** Takes the place of this site on its store at a start: refuses a service without a name beside others, and names the rows of one that had none (SPEC 20). */
import type { Logger } from 'pino';
import { rememberedStore } from '../../config/configured-mark.ts';
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
  const sites = (await store.sites.listSites()).map(({ site }) => site);
  const message = own === undefined ? namelessFault(sites) : await unnamedFault(own, sites, { directory, store, log });
  if (message === undefined) return;
  throw new Error(formatProblem(config.file, config.placed({ path: ['server', 'site'], message })));
}

function namelessFault(sites: readonly string[]): string | undefined {
  const named = sites.filter((site) => site !== '');
  if (named.length === 0) return undefined;
  return `is missing, but the store is that of ${listed(named)}: give this one a name of its own there, or remove what is left of a site with "postern sites forget NAME"`;
}

/** A site that gets its first name was the only one of the store before, and its links and screens have no name. */
async function unnamedFault(
  own: string,
  sites: readonly string[],
  { directory, store, log }: Pick<SiteClaim, 'directory' | 'store' | 'log'>,
): Promise<string | undefined> {
  if (!sites.includes('')) return undefined;
  const isOwn = (await rememberedStore(directory)) === (await store.identity()).id;
  if (isOwn && (await store.sites.renameSite('', own)) === 'renamed') {
    log.info({ site: own }, 'links and screens that were made before this site had a name are of this site now');
    return undefined;
  }
  return `is ${JSON.stringify(own)}, and the store is used by a service without a name: set server.site there and start it; if that was this one, run "postern sites rename - ${own}" here`;
}

const listed = (names: readonly string[]): string =>
  `${names.length === 1 ? 'the site' : 'the sites'} ${names.join(', ')}`;
