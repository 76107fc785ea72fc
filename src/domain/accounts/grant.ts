/** Grants: who makes one, and what a new one has (SPEC 4.4, 12, 13, 18). Times are Unix seconds. */
import type { Role, UserName } from '../names.ts';

/** Who makes a grant. */
export interface GrantMaker {
  readonly user: UserName;
  readonly userCreatedAt: number | null;
  readonly tokenId: string | null;
  readonly role: Role;
}

/** What a new grant has, where it has nothing of its own there. */
export const NEW_GRANT = {
  ...{ name: null, role: null, cameras: null, expiresAt: null },
  ...{ revokedAt: null, lastUsedAt: null, lastUsedFrom: null },
} as const;

export interface GrantUse {
  readonly id: string;
  readonly at: number;
  readonly from: string;
}

/** No user name has a colon. */
export const MAKERS_WITHOUT_ACCOUNT = { commandLine: ':command-line', internalListener: ':internal-listener' } as const;
