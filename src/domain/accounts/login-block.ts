/** Who must wait at the login, as it is kept for the status page and the command line (SPEC 4.5). Times are Unix seconds. */

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
