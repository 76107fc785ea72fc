/** Whether the pages of this NVR know custom roles: those of some releases know admin and viewer only, and show any other role "Access Denied" (SPEC 5). */
import { compareReleases } from '../../doctor/causes/inside.ts';
import { withTimeLimit } from '../../domain/async/time-limit.ts';

export interface NvrRelease {
  /** True as well while the NVR does not say its version. Never rejects. */
  knowsCustomRoles(): Promise<boolean>;
}

/** Milliseconds. */
const FRESH = 60_000;
const LONGEST_WAIT = 2000;

export interface NvrReleaseOptions {
  /** The version as the NVR says it; null without an answer. */
  readonly ask: () => Promise<string | null>;
  /** The first release whose pages know custom roles; undefined: all do. */
  readonly since: string | undefined;
  /** Milliseconds of a steady clock. */
  readonly now: () => number;
  /** Milliseconds that a page waits for the first answer. */
  readonly longestWait?: number;
}

export function createNvrRelease({ ask, since, now, longestWait = LONGEST_WAIT }: NvrReleaseOptions): NvrRelease {
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
    async knowsCustomRoles() {
      if (since === undefined) return true;
      const isFresh = known !== undefined && now() - known.at < FRESH;
      const refreshing = isFresh ? undefined : refresh();
      // A page waits for its profile: only the first answer is waited for, and not for long.
      if (refreshing && known?.version === undefined) await withTimeLimit(refreshing, longestWait, () => undefined);
      return compareReleases(known?.version, since) >= 0;
    },
  };
}
