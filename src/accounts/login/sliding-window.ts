/** Arithmetic of sliding windows over the failures of one client: which clause is full, and for how long. Pure. */
import type { Clause } from '../../domain/rate-limit.ts';

/** A failure, or an attempt that may become one: an object of its own, so that it can be found again. */
export interface Failure {
  /** Milliseconds of a monotonic clock. */
  readonly at: number;
  /** It costs a password hash to fail so. */
  readonly costsHash: boolean;
}

export interface Full {
  readonly kind: 'limited';
  readonly retryAfterSeconds: number;
  readonly clause: Clause;
}

/** The full clause that one must wait longest for. */
export function fullClause(failures: readonly Failure[], clauses: readonly Clause[], now: number): Full | undefined {
  const full = clauses.map((clause) => whenFull(failures, clause, now)).filter((found) => found !== undefined);
  return full.sort((a, b) => b.retryAfterSeconds - a.retryAfterSeconds)[0];
}

/** A failure leaves the window when it is as old as the window is long. */
function whenFull(failures: readonly Failure[], clause: Clause, now: number): Full | undefined {
  const recent = failures.filter(({ at }) => at > now - milliseconds(clause));
  if (recent.length < clause.count) return undefined;
  const first = recent[recent.length - clause.count];
  const wait = milliseconds(clause) - (first ? now - first.at : 0);
  return { kind: 'limited', retryAfterSeconds: Math.ceil(wait / 1000), clause };
}

const milliseconds = ({ windowSeconds }: Clause): number => windowSeconds * 1000;
export const longestOf = (clauses: readonly Clause[]): number => Math.max(0, ...clauses.map(milliseconds));

export function forgetBefore(failures: Failure[], past: number): void {
  const kept = failures.findIndex(({ at }) => at > past);
  failures.splice(0, kept === -1 ? failures.length : kept);
}

export function remove(failures: Failure[], failure: Failure): void {
  const place = failures.indexOf(failure);
  if (place !== -1) failures.splice(place, 1);
}
