/** What the registry of roles needs of a configuration and its store, for commands that read roles beside the server (SPEC 20). */
import { createSiteRegistry, type SiteRegistry } from '../../accounts/sites/site-registry.ts';
import { rolesOfFile } from '../../config/schema/role-schema.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { ActiveRoles } from '../../domain/rights/role-limits.ts';
import type { Store } from '../../store/open-store.ts';

interface RegistryParts {
  readonly fixed: ActiveRoles;
  readonly sites: SiteRegistry;
}

/** `store`: undefined before the first start, which makes it. */
export const registryParts = ({ auth, server }: Settings, store: Pick<Store, 'sites'> | undefined): RegistryParts => ({
  fixed: rolesOfFile(auth),
  sites: createSiteRegistry({
    store: store?.sites ?? { listSites: async () => [] },
    own: server.site,
    listed: server.sites.map(({ name }) => name),
  }),
});
