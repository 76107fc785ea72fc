/** Readiness: whether this instance should be sent requests, part by part, as `/readyz` answers it (SPEC 9). */
import { messageOf } from '../domain/result.ts';

/** `degraded` is told, and requests still come; `failed` makes the answer 503. */
export type CheckResult =
  | { readonly kind: 'ok' }
  | { readonly kind: 'unused' }
  | { readonly kind: 'degraded'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** What a request needs: without it the answer is 503. */
export type Reached = Exclude<CheckResult, { kind: 'degraded' }>;

export interface Readiness {
  readonly store: Reached;
  /** Whether changes of other replicas are heard. */
  readonly store_changes: CheckResult;
  /** `degraded`: it answers, but its cameras cannot be read, so custom roles see nothing new. */
  readonly nvr: CheckResult;
  readonly events: Reached;
  /** The pair in `tls.certificate` and `tls.private_key`. */
  readonly certificate: CheckResult;
  /** Open file descriptors against their limit. */
  readonly descriptors: CheckResult;
  readonly event_loop: CheckResult;
  readonly clock: CheckResult;
  /** Whether log lines were dropped. */
  readonly log: CheckResult;
  /** Whether the servers that sign identities answered when they were last asked; absent where none is configured. */
  readonly identity_providers?: CheckResult;
}

export const OK = { kind: 'ok' } as const;

export const isReady = (readiness: Readiness): boolean =>
  Object.values(readiness).every((check: CheckResult) => check.kind !== 'failed');

export async function checked(look: () => Promise<unknown>): Promise<Reached> {
  try {
    await look();
    return OK;
  } catch (fault) {
    return { kind: 'failed', reason: messageOf(fault) };
  }
}
