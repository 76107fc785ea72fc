/** Sliding windows of attempts that all replicas share: the port between the login limiter and the server that counts (SPEC 10). */
import type { Clause } from './rate-limit.ts';

/** The attempts of one client, network, account or link. */
export interface AttemptWindow {
  /** Fits into any key: digest it before. Windows of one question begin with the same group in braces, as a cluster needs it. */
  readonly key: string;
  readonly clauses: readonly Clause[];
}

export type SharedPlace =
  /** The attempt counts as failed in all windows until it is released; `keep` says that it did fail. Each acts once. */
  | { readonly kind: 'reserved'; release(): void; keep(): void }
  | {
      readonly kind: 'full';
      /** Which of the windows: the first one that is full. */
      readonly window: number;
      readonly clause: Clause;
      readonly retryAfterSeconds: number;
      /** An attempt in it, on whichever replica, may yet give its place back. */
      readonly isUnderWay: boolean;
    }
  /** The server could not be asked: nothing was counted, or what was counted is given back later. */
  | { readonly kind: 'unavailable' };

export interface SharedWindows {
  /** One atomic step: a place in every window, or in none. Answers within a second, whatever the server does. */
  reserve(windows: readonly AttemptWindow[]): Promise<SharedPlace>;
  isUp(): boolean;
  /** Told at each change, before another attempt is judged. */
  onChange(tell: () => void): void;
}
