/** The release of the NVR, as far as it is known: pages of some releases know the roles admin and viewer only, and some pictures are found by a name since another (SPEC 5, 11). */

import { withTimeLimit } from '../../domain/async/time-limit.ts';
import { compareReleases } from '../../domain/policy/table-head.ts';

export interface NvrRelease {
  /** Whether it is known to be older than that. Never rejects. */
  isOlderThan(release: string): Promise<boolean>;
}

/** Milliseconds. */
const FRESH = 60_000;
const LONGEST_WAIT = 2000;

export interface NvrReleaseOptions {
  /** The version as the NVR says it; null without an answer. */
  readonly ask: () => Promise<string | null>;
  /** Milliseconds of a steady clock. */
  readonly now: () => number;
  /** Milliseconds that the first answer is waited for. */
  readonly longestWait?: number;
}

export function createNvrRelease({ ask, now, longestWait = LONGEST_WAIT }: NvrReleaseOptions): NvrRelease {
  let known: { readonly version: string | undefined; readonly at: number } | undefined;
  let asking: Promise<void> | undefined;

  function refresh(): Promise<void> {
    asking ??= ask()
      .catch(() => null)
      .then((version) => {
        // What was known stays, while the NVR says nothing.
        known = { version: version ?? known?.version, at: now() };
      })
      .finally(() => {
        asking = undefined;
      });
    return asking;
  }

  return {
    async isOlderThan(release) {
      const isFresh = known !== undefined && now() - known.at < FRESH;
      const refreshing = isFresh ? undefined : refresh();
      // A page waits for it: only the first answer is waited for, and not for long.
      if (refreshing && known?.version === undefined) await withTimeLimit(refreshing, longestWait, () => undefined);
      return compareReleases(known?.version, release) < 0;
    },
  };
}
