/** The active custom roles: those of the configuration file and those created in the console (interface 2.2; SPEC 4.3). */

import type { RoleStore, StoredRole } from '../../domain/accounts/role-store.ts';
import type { SeenSites } from '../../domain/accounts/site.ts';
import { type MaybePromise, mapMaybe } from '../../domain/async/maybe-promise.ts';
import type { CustomRoles } from '../../domain/camera-scope.ts';
import type { Role } from '../../domain/names.ts';
import { VERBS } from '../../domain/policy/policy.ts';
import { type ActiveRoles, parseLimits, type RoleLimit } from '../../domain/rights/role-limits.ts';
import { ambiguousNames, ambiguousSentence, entriesHere } from '../../domain/sites.ts';
import { createStoreGrace, type StoreGrace } from '../sessions/store-grace.ts';
import { ONE_SITE, type SiteRegistry } from '../sites/site-registry.ts';

export interface CustomRoleDeps {
  readonly store: Pick<RoleStore, 'listRoles'>;
  /** `auth.roles` of the configuration: fixed, and above a role of the same name in the store. */
  readonly fixed: ActiveRoles;
  /** Changes with every change of the store, by this process or another; without it the store is read each time. */
  readonly version?: () => string;
  /** Remembers what the store says, and for how long. Default: by `version`, and not while the store cannot be reached. */
  readonly grace?: StoreGrace;
  /** The other sites on the store. Default: none. */
  readonly sites?: SiteRegistry;
  readonly onChange?: (roles: CustomRoles) => void;
}

/** A role as it is written: its cameras are those of all sites. */
export interface WrittenRole {
  readonly cameras: readonly string[];
  readonly source: 'file' | 'store';
  /** The other site whose file has it. */
  readonly site?: string;
}

export interface RoleRegistry {
  readonly fixed: CustomRoles;
  /** The roles as last read, with the cameras that they allow at this site. */
  current(): CustomRoles;
  /** The roles as they are written, as last read. */
  written(): ReadonlyMap<Role, WrittenRole>;
  /** The sites as last read; undefined where there is one. */
  sites(): SeenSites | undefined;
  /** Roles that name a camera of several sites, and so see none of them: a sentence each. */
  ambiguous(): readonly string[];
  activeAtLastRead(): ActiveRoles;
  /** The roles as they are: read again when the store has changed. */
  latest(): MaybePromise<CustomRoles>;
  /** The same, with what limits each role. */
  active(): MaybePromise<ActiveRoles>;
  /** `auth.roles` was read again. */
  renew(fixed: ActiveRoles): void;
}

export function createRoleRegistry({
  store,
  version,
  onChange,
  sites = ONE_SITE,
  ...parts
}: CustomRoleDeps): RoleRegistry {
  let { fixed } = parts;
  let stored: readonly StoredRole[] = [];
  let roles = fixed.cameras;
  let text = textOf(roles);
  let active = fixed;
  const { grace = createStoreGrace({ version }) } = parts;
  const remembered = grace.memory<readonly StoredRole[]>(1, { rowsOf: () => ['custom_roles'] });

  let seen: SeenSites | undefined;
  let written = writtenOf(fixed, [], undefined);

  const join = (): CustomRoles => {
    const others = stored.filter(({ role }) => !fixed.cameras.has(role) && !seen?.roles.has(role));
    const ofSites = [...(seen?.roles.values() ?? [])].filter(({ role }) => !fixed.cameras.has(role));
    written = writtenOf(fixed, others, ofSites);
    const found: CustomRoles = new Map(
      [...written].map(([role, { cameras }]) => [role, entriesHere(cameras, seen)] as const),
    );
    const isChanged = textOf(found) !== text;
    if (isChanged) [roles, text] = [found, textOf(found)];
    const ofFile = fixed;
    active = {
      cameras: roles,
      limits: new Map([...ofFile.limits, ...[...ofSites, ...others].flatMap(limitsOf)]),
      get zone() {
        return ofFile.zone;
      },
      ...(seen && { sites: seen }),
    };
    if (isChanged) onChange?.(roles);
    return roles;
  };
  const latest = (): MaybePromise<CustomRoles> =>
    mapMaybe(sites.latest(), (seenNow) =>
      mapMaybe(
        remembered('', () => store.listRoles()),
        (found) => {
          if (found === stored && seenNow === seen) return roles;
          [stored, seen] = [found, seenNow];
          return join();
        },
      ),
    );

  return {
    get fixed() {
      return fixed.cameras;
    },
    renew(given) {
      fixed = given;
      join();
    },
    current: () => roles,
    written: () => written,
    sites: () => seen,
    ambiguous: () =>
      [...written].flatMap(([role, { cameras }]) =>
        ambiguousNames(cameras, seen).map(
          (name) => `the role ${role}: ${ambiguousSentence(name)}; until then the role does not see it`,
        ),
      ),
    activeAtLastRead: () => active,
    latest,
    active: () => mapMaybe(latest(), () => active),
  };
}

const writtenOf = (
  fixed: ActiveRoles,
  stored: readonly StoredRole[],
  ofSites: readonly (StoredRole & { readonly site: string })[] | undefined,
): ReadonlyMap<Role, WrittenRole> =>
  new Map<Role, WrittenRole>([
    ...[...fixed.cameras].map(([role, cameras]) => [role, { cameras, source: 'file' }] as const),
    ...(ofSites ?? []).map(({ role, cameras, site }) => [role, { cameras, source: 'file', site }] as const),
    ...stored.map(({ role, cameras }) => [role, { cameras, source: 'store' }] as const),
  ]);

/** Limits that this version cannot read, written by another one, must not be taken for none. */
function limitsOf({ role, limits }: StoredRole): [Role, RoleLimit][] {
  if (!limits) return [];
  const parsed = parseLimits(limits);
  return [[role, parsed.ok ? parsed.value : { deny: VERBS }]];
}

const textOf = (roles: CustomRoles): string => JSON.stringify([...roles]);
