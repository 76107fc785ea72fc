/** Keeps a revocation in memory until the store has it, so that a logout holds at once even when the store cannot be written (SPEC 4.2). */
import { repeated } from '../domain/async.ts';
import type { Store } from './open-store.ts';

export type HoldingStore = ReturnType<typeof holdRevocations>;

const RETRY_MS = 1000;

/** The store, with a `revokeToken` that takes effect in this process even when it rejects. */
export function holdRevocations(
  store: Store,
  log: Record<'error' | 'info', (fields: object, message: string) => void>,
) {
  /** The Unix second until which each must be remembered. */
  const held = new Map<string, number>();
  let changes = 0;
  const writing = repeated(async () => {
    const waiting = [...held];
    try {
      for (const [tokenId, expiresAt] of waiting) {
        await store.accounts.revokeToken(tokenId, expiresAt);
        held.delete(tokenId);
      }
    } catch {
      return RETRY_MS; // the first attempt told of it
    }
    if (waiting.length > 0 && held.size === 0)
      log.info({ count: waiting.length }, 'ended sessions that were held in memory are stored now');
    return undefined;
  });
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
          writing.after(RETRY_MS);
          log.error(
            { err: fault },
            'the end of a session could not be stored and is held in memory: see the cause, and do not restart before the store can be written',
          );
          throw fault;
        }
      },
      isRevoked: async (tokenId: string): Promise<boolean> => held.has(tokenId) || store.accounts.isRevoked(tokenId),
    },
    async close(): Promise<void> {
      await writing.close();
      if (held.size > 0) await writing.now();
      await store.close();
    },
  };
}
