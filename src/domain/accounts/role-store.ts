/** Custom roles that were made in the console or by API, and the interface of their store (interface 2.2). */
import type { Role, UserName } from '../names.ts';
import type { WrittenLimits } from '../rights/role-limits.ts';

export interface StoredRole {
  readonly role: Role;
  /** Entries may hold `*`. */
  readonly cameras: readonly string[];
  /** The limits as they were written; absent for none. */
  readonly limits?: WrittenLimits | undefined;
}

export interface RoleChanges {
  /** New roles, and new cameras of known ones. */
  readonly saved: readonly StoredRole[];
  readonly deleted: readonly Role[];
}

export interface RoleStore {
  /** All roles, in order of name. */
  listRoles(): Promise<readonly StoredRole[]>;
  /** All or none of them. Users of a deleted role become viewers with it; gives their names. */
  changeRoles(changes: RoleChanges): Promise<readonly UserName[]>;
}
