/** The keys that sign identities for the NVR, as the store keeps them (SPEC 17). */
export interface SealedIdentityKey {
  /** The `kid`. */
  readonly id: string;
  /** The private key (PKCS #8), sealed with a key of the signing secret, bound to the id. */
  readonly sealed: string;
  /** Unix seconds. */
  readonly createdAt: number;
}

/** What becomes of the keys that are there. */
export interface IdentityKeyChange {
  readonly added?: SealedIdentityKey;
  /** Ids. */
  readonly forgotten: readonly string[];
}

export interface IdentityKeyStore {
  /** Oldest first. */
  listIdentityKeys(): Promise<readonly SealedIdentityKey[]>;
  /** One transaction: of replicas that plan at once, the second plans with what the first has made. Gives the keys of afterwards. */
  changeIdentityKeys(
    plan: (keys: readonly SealedIdentityKey[]) => IdentityKeyChange,
  ): Promise<readonly SealedIdentityKey[]>;
}
