/** Custom roles that were made in the console or by API (interface 2.2). */
import type { Role } from '../names.ts';
import type { WrittenLimits } from '../rights.ts';

export interface StoredRole {
  readonly role: Role;
  /** Entries may hold `*`. */
  readonly cameras: readonly string[];
  /** The limits as they were written; absent for none. */
  readonly limits?: WrittenLimits | undefined;
}
