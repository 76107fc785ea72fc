/** Who must wait at the login, and sessions as they were seen, as both are kept for people to look at (SPEC 4.2, 4.5). Times are Unix seconds. */
import type { UserName } from '../names.ts';

/** `address` and `network`: wrong passwords from there; `codes`: wrong codes of one account; `pins`: wrong PINs of one link. */
export const BLOCK_KINDS = ['address', 'network', 'codes', 'pins'] as const;
export type BlockKind = (typeof BLOCK_KINDS)[number];

export interface LoginBlock {
  /** A digest of what is limited. */
  readonly id: string;
  readonly kind: BlockKind;
  /** The address, the network, the account, or the id of the link. */
  readonly subject: string;
  /** Names that were tried, the latest last. */
  readonly names: readonly string[];
  readonly since: number;
  readonly until: number;
  /** The window that all replicas share; null where one process counts in its own memory. */
  readonly window: string | null;
}

/** Times are Unix seconds. */
export interface SeenSession {
  /** The `jti` of its tokens. */
  readonly id: string;
  readonly user: UserName;
  /** The client's address, as last seen. */
  readonly address: string;
  /** The `User-Agent`, cut short; empty when there was none. */
  readonly agent: string;
  readonly since: number;
  readonly lastSeen: number;
  /** The end of that one of its tokens that lives longest. */
  readonly expiresAt: number;
  /** What the key is called that its tokens are signed with. */
  readonly keyId: string;
}
