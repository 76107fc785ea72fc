/** Sites as they are kept, several services on one store, and the interface of their store (SPEC 20). Times are Unix seconds. */
import type { Sites } from '../sites.ts';
import type { StoredRole } from './role-store.ts';

/** What a site tells the others by the store. */
export interface SiteRecord {
  /** `server.site`; empty for a service without one. */
  readonly site: string;
  /** Undefined while its NVR was never asked. */
  readonly cameras: readonly string[] | undefined;
  /** The roles of its configuration file. */
  readonly roles: readonly StoredRole[];
  /** The digest of its signing secret. */
  readonly keyId: string;
  /** Unix seconds. */
  readonly changedAt: number;
}

/** Rejects with a store fault. */
export interface SiteStore {
  listSites(): Promise<readonly SiteRecord[]>;
  publishSite(record: SiteRecord): Promise<void>;
  /** Its links and screens, too. */
  renameSite(from: string, to: string): Promise<'renamed' | 'absent' | 'taken'>;
  forgetSite(site: string): Promise<'forgotten' | 'absent'>;
}

/** The sites on the store as one of them sees them. */
export interface SeenSites extends Sites {
  /** The roles of the configuration files of other sites, each with its site. The first one of a name counts. */
  readonly roles: ReadonlyMap<string, StoredRole & { readonly site: string }>;
}

/** `listed`: the names of `server.sites`. */
export function sitesSeenFrom(own: string, listed: readonly string[], records: readonly SiteRecord[]): SeenSites {
  const others = records.filter(({ site }) => site !== own && site !== '');
  const mine = records.find(({ site }) => site === own);
  const roles = new Map<string, StoredRole & { site: string }>();
  for (const { site, roles: ofSite } of others)
    for (const role of ofSite) if (!roles.has(role.role)) roles.set(role.role, { ...role, site });
  return {
    own,
    ownCameras: mine?.cameras,
    others: new Map([
      ...listed.filter((site) => site !== own).map((site) => [site, []] as const),
      ...others.map(({ site, cameras }) => [site, cameras ?? []] as const),
    ]),
    roles,
  };
}
