/** The sites on the store as this service sees them: their cameras, and the roles of their files (SPEC 20). */

import { type SeenSites, type SiteRecord, type SiteStore, sitesSeenFrom } from '../../domain/accounts/site.ts';
import { type MaybePromise, mapMaybe } from '../../domain/async/maybe-promise.ts';
import { createStoreGrace, type StoreGrace } from '../sessions/store-grace.ts';

export interface SiteRegistryDeps {
  readonly store: Pick<SiteStore, 'listSites'>;
  /** `server.site`; undefined: the only one, which asks for no others. */
  readonly own: string | undefined;
  /** The names of `server.sites`. */
  readonly listed?: readonly string[];
  readonly grace?: StoreGrace;
}

export interface SiteRegistry {
  /** What was read last; undefined without `server.site`. */
  current(): SeenSites | undefined;
  /** Read again when the store has changed. */
  latest(): MaybePromise<SeenSites | undefined>;
  /** `server.sites` was read again. */
  renew(listed: readonly string[]): void;
}

export const ONE_SITE: SiteRegistry = { current: () => undefined, latest: () => undefined, renew: () => {} };

export function createSiteRegistry({ store, own, ...parts }: SiteRegistryDeps): SiteRegistry {
  if (own === undefined) return ONE_SITE;
  let { listed = [] } = parts;
  const { grace = createStoreGrace() } = parts;
  const remembered = grace.memory<readonly SiteRecord[]>(1, { rowsOf: () => ['sites'] });
  let records: readonly SiteRecord[] = [];
  let sites = sitesSeenFrom(own, listed, records);
  const see = (): SeenSites => {
    sites = sitesSeenFrom(own, listed, records);
    return sites;
  };
  return {
    current: () => sites,
    latest: () =>
      mapMaybe(
        remembered('', () => store.listSites()),
        (found) => {
          if (found === records) return sites;
          records = found;
          return see();
        },
      ),
    renew(given) {
      listed = given;
      see();
    },
  };
}
