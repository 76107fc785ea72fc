/** The custom roles in force: those of the configuration file and those created in the console (interface 2.2; SPEC 4.3). */

import type { RoleStore, StoredRole } from '../../domain/accounts/role-store.ts';
import type { CustomRoles } from '../../domain/camera-scope.ts';
import { type MaybePromise, mapMaybe } from '../../domain/maybe-promise.ts';
import { createStoreGrace, type StoreGrace } from '../sessions/store-grace.ts';

export interface CustomRoleDeps {
  readonly store: Pick<RoleStore, 'listRoles'>;
  /** `auth.roles` of the configuration: fixed, and above a role of the same name in the store. */
  readonly fixed: CustomRoles;
  /** Changes with every change of the store, by this process or another; without it the store is read each time. */
  readonly version?: () => string;
  /** Remembers what the store says, and for how long. Default: by `version`, and not while the store cannot be reached. */
  readonly grace?: StoreGrace;
  readonly onChange?: (roles: CustomRoles) => void;
}

export interface RoleRegistry {
  readonly fixed: CustomRoles;
  /** As last read. */
  current(): CustomRoles;
  /** As they are: read again when the store has changed. */
  latest(): MaybePromise<CustomRoles>;
  /** `auth.roles` was read again. */
  renew(fixed: CustomRoles): void;
}

export function createRoleRegistry({ store, version, onChange, ...parts }: CustomRoleDeps): RoleRegistry {
  let { fixed } = parts;
  let stored: readonly StoredRole[] = [];
  let roles = fixed;
  let text = textOf(fixed);
  const { grace = createStoreGrace({ version }) } = parts;
  const remembered = grace.memory<readonly StoredRole[]>(1);

  const join = (): CustomRoles => {
    const others = stored.filter(({ role }) => !fixed.has(role));
    const found: CustomRoles = new Map([...fixed, ...others.map(({ role, cameras }) => [role, cameras] as const)]);
    if (textOf(found) === text) return roles;
    [roles, text] = [found, textOf(found)];
    onChange?.(roles);
    return roles;
  };

  return {
    get fixed() {
      return fixed;
    },
    renew(given) {
      fixed = given;
      join();
    },
    current: () => roles,
    latest: () =>
      mapMaybe(
        remembered('', () => store.listRoles()),
        (found) => {
          if (found === stored) return roles;
          stored = found;
          return join();
        },
      ),
  };
}

const textOf = (roles: CustomRoles): string => JSON.stringify([...roles]);
