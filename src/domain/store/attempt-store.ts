/** Sliding windows of attempts that all replicas share: the port between the login limiter and the store (SPEC 10). */
import type { Clause } from '../rate-limit.ts';

/** The attempts of one client, network, account or link. */
export interface AttemptWindow {
  /** Digested: the store holds no address. */
  readonly key: string;
  readonly clauses: readonly Clause[];
}

/** The first window that is full, by the clause that takes longest. */
export interface FullWindow {
  readonly window: number;
  readonly clause: Clause;
  readonly retryAfterSeconds: number;
  /** An attempt in it, on whichever replica, may yet give its place back. */
  readonly isUnderWay: boolean;
}

/** Each method rejects with a fault of the store when it cannot be reached: what was asked may be done all the same. */
export interface AttemptStore {
  /**
   * One atomic step: a place for the attempt in every window, or in none. `now` is in milliseconds; the server's own
   * clock, which all replicas share, when absent.
   */
  reserve(attempt: string, windows: readonly AttemptWindow[], now?: number): Promise<FullWindow | undefined>;
  /** The attempt failed: nobody waits for its outcome any more. */
  keep(attempt: string): Promise<void>;
  /** The attempts did not fail: their places are free. */
  release(attempts: readonly string[]): Promise<void>;
  /** All attempts in that window are forgotten. */
  forget(window: string): Promise<void>;
}
