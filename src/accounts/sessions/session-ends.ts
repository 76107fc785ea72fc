/** When each session ends: the latest `exp` of the tokens that were issued for its `jti` (SPEC 4.2). */
import { LRUCache } from 'lru-cache';
import type { MaybePromise } from '../../domain/async.ts';
import { upTo } from '../../domain/bounded.ts';

/** Times are Unix seconds. */
export interface SessionEnds {
  /** A token of the session was issued, or shown, that is valid until then. */
  note(tokenId: string, expiresAt: number): void;
  /** The latest end that this process knows; undefined when it has seen no token of the session. */
  latest(tokenId: string): number | undefined;
  /** The latest end that the store knows, where another process may have renewed the session. */
  recorded(tokenId: string): MaybePromise<number | undefined>;
}

const REMEMBERED_SESSIONS = 10_000;

export function createSessionEnds(
  recorded: SessionEnds['recorded'] = () => undefined,
  onLater: (tokenId: string) => void = () => {},
): SessionEnds {
  const ends = new LRUCache<string, number>(upTo(REMEMBERED_SESSIONS));
  return {
    recorded,
    latest: (tokenId) => ends.get(tokenId),
    note(tokenId, expiresAt) {
      const known = ends.get(tokenId);
      if (known !== undefined && known >= expiresAt) return;
      ends.set(tokenId, expiresAt);
      onLater(tokenId);
    },
  };
}
