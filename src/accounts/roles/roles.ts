/** Lists, creates, changes and deletes custom roles (interface 2.2; SPEC 4.3). */
import type { AccountStore } from '../../domain/accounts/account.ts';
import type { RoleStore } from '../../domain/accounts/role-store.ts';
import { parseCameraEntry } from '../../domain/camera-scope.ts';
import {
  ADMIN,
  parseCustomRoleName,
  RESERVED_ROLE_NAMES,
  type Role,
  type UserName,
  VIEWER,
} from '../../domain/names.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { shown } from '../http/body-fields.ts';
import type { RoleRegistry } from './role-registry.ts';

export interface RoleDeps {
  readonly store: Pick<AccountStore, 'listUsers'>;
  readonly roleStore: RoleStore;
  readonly roleRegistry: RoleRegistry;
}

export type RoleFault = 'name-invalid' | 'cameras-invalid' | 'role-fixed' | 'role-absent';

export interface RoleRefusal {
  readonly reason: RoleFault;
  readonly message: string;
}

export interface ListedRole {
  readonly role: Role;
  /** Entries may hold `*`, which alone is every camera. */
  readonly cameras: readonly string[];
  readonly source: 'builtin' | 'file' | 'store';
  /** How many have it. */
  readonly users: number;
}

/** By name: the cameras of a role that is made or changed, null for one that is deleted. */
export type WantedRoles = ReadonlyMap<string, readonly unknown[] | null>;

export interface RolesChanged {
  readonly saved: readonly Role[];
  readonly deleted: readonly Role[];
  /** Who had a deleted role. */
  readonly newViewers: readonly UserName[];
}

export interface Roles {
  list(): Promise<readonly ListedRole[]>;
  /** All of them or none. */
  change(wanted: WantedRoles): Promise<Result<RolesChanged, RoleRefusal>>;
}

const LONGEST_ROLE_NAME = 64;
const MOST_CAMERA_ENTRIES = 1000;
const EVERY_CAMERA = '*';

export function createRoles({ store, roleStore, roleRegistry }: RoleDeps): Roles {
  return {
    async list() {
      const [users, custom] = await Promise.all([store.listUsers(), roleRegistry.latest()]);
      const count = (role: Role): number => users.filter((user) => user.role === role).length;
      const builtin = [ADMIN, VIEWER].map((role) => [role, [EVERY_CAMERA], 'builtin'] as const);
      const others = [...custom].map(([role, cameras]) => [role, cameras, sourceOf(role, roleRegistry)] as const);
      return [...builtin, ...others].map(([role, cameras, source]) => ({ role, cameras, source, users: count(role) }));
    },
    async change(wanted) {
      const known = [...(await roleRegistry.latest()).keys()];
      const saved: { role: Role; cameras: readonly string[] }[] = [];
      const deleted: Role[] = [];
      for (const [name, entries] of wanted) {
        const role = nameOf(name, entries === null, known, roleRegistry);
        if (!role.ok) return role;
        const cameras = entries === null ? ok(null) : camerasOf(name, entries);
        if (!cameras.ok) return cameras;
        if (cameras.value === null) deleted.push(role.value);
        else saved.push({ role: role.value, cameras: cameras.value });
      }
      const newViewers = await roleStore.changeRoles({ saved, deleted });
      return ok({ saved: saved.map(({ role }) => role), deleted, newViewers });
    },
  };
}

const sourceOf = (role: Role, { fixed }: RoleRegistry): ListedRole['source'] => (fixed.has(role) ? 'file' : 'store');

const refused = (reason: RoleFault, message: string): Result<never, RoleRefusal> => err({ reason, message });

function nameOf(
  name: string,
  isDeleted: boolean,
  known: readonly Role[],
  { fixed }: RoleRegistry,
): Result<Role, RoleRefusal> {
  const role = parseCustomRoleName(name);
  if (!role.ok) return refused('name-invalid', role.error);
  if (fixed.has(role.value)) {
    return refused(
      'role-fixed',
      `The role ${name} is defined in the configuration file: change auth.roles.${name} there`,
    );
  }
  if (known.includes(role.value)) return role;
  if (isDeleted) return refused('role-absent', `There is no role ${name}`);
  if (name.length > LONGEST_ROLE_NAME)
    return refused('name-invalid', `A role name has at most ${LONGEST_ROLE_NAME} characters`);
  // A proxy's role header is compared without case, so the two names could not be told apart.
  const alike = [...RESERVED_ROLE_NAMES, ...known].find((other) => other.toLowerCase() === name.toLowerCase());
  return alike === undefined
    ? role
    : refused('name-invalid', `"${name}" differs from the role name "${alike}" in case only: choose another`);
}

function camerasOf(name: string, entries: readonly unknown[]): Result<readonly string[], RoleRefusal> {
  if (entries.length === 0)
    return refused('cameras-invalid', `The role ${name} needs at least one camera: give a list of names`);
  if (entries.length > MOST_CAMERA_ENTRIES)
    return refused(
      'cameras-invalid',
      `The role ${name} has more than ${MOST_CAMERA_ENTRIES} cameras: use "*" in names`,
    );
  const cameras: string[] = [];
  for (const entry of entries) {
    const camera = typeof entry === 'string' ? parseCameraEntry(entry) : err(`${shown(entry)} is not a camera name`);
    if (!camera.ok) return refused('cameras-invalid', `The role ${name}: ${camera.error}`);
    cameras.push(camera.value);
  }
  return ok([...new Set(cameras)]);
}
