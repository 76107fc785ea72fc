/** Who must wait at the login, as it is kept for the status page and the command line, and the interface of that store (SPEC 4.5). Times are Unix seconds. */

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

/** Faults (disk, network) are thrown. */
export interface LoginBlockStore {
  /** Names that are known already are kept beside. A block from before its lift stays lifted. */
  noteBlocks(blocks: readonly LoginBlock[], now: number): Promise<void>;
  /** Those that last, the longest first. */
  listBlocks(now: number): Promise<readonly LoginBlock[]>;
  /** Undefined: there is no such block any more. */
  liftBlock(id: string, now: number): Promise<LoginBlock | undefined>;
  /** When each block was lifted last. */
  listLifts(): Promise<ReadonlyMap<string, number>>;
  /** All of them, where a restart clears the limiter. */
  forgetBlocks(): Promise<void>;
}
