/** The active custom roles: those of the configuration file and those created in the console (interface 2.2; SPEC 4.3). */
import type { StoredRole } from '../../domain/accounts/account.ts';
import { type MaybePromise, mapMaybe } from '../../domain/async.ts';
import type { CustomRoles } from '../../domain/camera-scope.ts';
import type { Role } from '../../domain/names.ts';
import { VERBS } from '../../domain/policy.ts';
import { type ActiveRoles, parseLimits, type RoleLimit } from '../../domain/rights.ts';
import type { RoleStore } from '../../store/accounts/house.ts';
import { createStoreGrace, type StoreGrace } from '../sessions/store-grace.ts';

interface RoleSources {
  readonly store: Pick<RoleStore, 'listRoles'>;
  /** `auth.roles` of the configuration: fixed, and above a role of the same name in the store. */
  readonly fixed: ActiveRoles;
  /** Changes with every change of the store, by this process or another; without it the store is read each time. */
  readonly version?: () => string;
  /** Remembers what the store says, and for how long. Default: by `version`, and not while the store cannot be reached. */
  readonly grace?: StoreGrace;
  readonly onChange?: (roles: CustomRoles) => void;
}

export type RoleRegistry = ReturnType<typeof createRoleRegistry>;

export function createRoleRegistry({ store, version, onChange, ...parts }: RoleSources) {
  let { fixed } = parts;
  let stored: readonly StoredRole[] = [];
  let roles = fixed.cameras;
  let text = textOf(roles);
  let active = fixed;
  const { grace = createStoreGrace({ version }) } = parts;
  const remembered = grace.memory<readonly StoredRole[]>(1, { rowsOf: () => ['custom_roles'] });

  const join = (): CustomRoles => {
    const others = stored.filter(({ role }) => !fixed.cameras.has(role));
    const found: CustomRoles = new Map([
      ...fixed.cameras,
      ...others.map(({ role, cameras }) => [role, cameras] as const),
    ]);
    const isChanged = textOf(found) !== text;
    if (isChanged) [roles, text] = [found, textOf(found)];
    const ofFile = fixed;
    active = {
      cameras: roles,
      limits: new Map([...ofFile.limits, ...others.flatMap(limitsOf)]),
      get zone() {
        return ofFile.zone;
      },
    };
    if (isChanged) onChange?.(roles);
    return roles;
  };
  const latest = (): MaybePromise<CustomRoles> =>
    mapMaybe(
      remembered('', () => store.listRoles()),
      (found) => {
        if (found === stored) return roles;
        stored = found;
        return join();
      },
    );

  return {
    get fixed(): CustomRoles {
      return fixed.cameras;
    },
    /** `auth.roles` was read again. */
    renew(given: ActiveRoles): void {
      fixed = given;
      join();
    },
    /** The roles as last read. */
    current: (): CustomRoles => roles,
    activeAtLastRead: (): ActiveRoles => active,
    /** The roles as they are: read again when the store has changed. */
    latest,
    /** The same, with what limits each role. */
    active: (): MaybePromise<ActiveRoles> => mapMaybe(latest(), () => active),
  };
}

/** Limits that this version cannot read, written by another one, must not be taken for none. */
function limitsOf({ role, limits }: StoredRole): [Role, RoleLimit][] {
  if (!limits) return [];
  const parsed = parseLimits(limits);
  return [[role, parsed.ok ? parsed.value : { deny: VERBS }]];
}

const textOf = (roles: CustomRoles): string => JSON.stringify([...roles]);
