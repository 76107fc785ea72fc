/** Keeps a revocation in memory until the store has it, so that a logout holds at once even when the store cannot be written (SPEC 4.2). */
import type { Store } from './open-store.ts';

export interface PendingRevocationDeps {
  /** A revocation could not be written; it is tried again each second. */
  readonly onHeld: (fault: unknown) => void;
  /** All are written. */
  readonly onWritten: (count: number) => void;
}

export type HoldingStore = ReturnType<typeof holdRevocations>;

const RETRY_MS = 1000;

/** The store, with a `revokeToken` that takes effect in this process even when it rejects. */
export function holdRevocations(store: Store, { onHeld, onWritten }: PendingRevocationDeps) {
  /** The Unix second until which each must be remembered. */
  const held = new Map<string, number>();
  let changes = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;

  const schedule = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      writing = writeHeld();
    }, RETRY_MS).unref();
  };
  const writeHeld = async (): Promise<void> => {
    let written = 0;
    try {
      for (const [tokenId, expiresAt] of [...held]) {
        await store.accounts.revokeToken(tokenId, expiresAt);
        held.delete(tokenId);
        written += 1;
      }
    } catch {
      schedule(); // the first attempt told of it
    }
    if (written > 0 && held.size === 0) onWritten(written);
  };
  let joined = { stored: '', changes: 0, text: '' };
  /** One text while nothing changes: it is compared several times for each request. */
  const version = (): string => {
    const stored = store.version();
    if (changes === 0) return stored;
    if (joined.stored !== stored || joined.changes !== changes)
      joined = { stored, changes, text: `${stored} ${changes}` };
    return joined.text;
  };
  return {
    ...store,
    /** How many wait to be written. */
    heldRevocations: () => held.size,
    /** Whether the end of that session is held. */
    isHeld: (tokenId: string): boolean => held.has(tokenId),
    version,
    accounts: {
      ...store.accounts,
      async revokeToken(tokenId: string, expiresAt: number): Promise<boolean> {
        // Held before it is written: the write may wait for seconds, and the session ends now.
        held.set(tokenId, Math.max(expiresAt, held.get(tokenId) ?? 0));
        changes += 1;
        try {
          const isNew = await store.accounts.revokeToken(tokenId, expiresAt);
          held.delete(tokenId);
          return isNew;
        } catch (fault) {
          schedule();
          onHeld(fault);
          throw fault;
        }
      },
      isRevoked: async (tokenId: string): Promise<boolean> => held.has(tokenId) || store.accounts.isRevoked(tokenId),
    },
    async close(): Promise<void> {
      clearTimeout(timer);
      await writing;
      if (held.size > 0) await writeHeld();
      clearTimeout(timer);
      await store.close();
    },
  };
}
