/** Readiness: whether this instance should be sent requests, part by part, as `/readyz` answers it (SPEC 9). */
import { messageOf } from '../domain/message-of.ts';

/** `degraded` is told, and requests still come; `failed` makes the answer 503. */
export type Check =
  | { readonly kind: 'ok' }
  | { readonly kind: 'unused' }
  | { readonly kind: 'degraded'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** What a request needs: without it the answer is 503. */
export type Reached = Exclude<Check, { kind: 'degraded' }>;

export interface Readiness {
  readonly store: Reached;
  /** Whether changes of other replicas are heard. */
  readonly store_changes: Check;
  /** `degraded`: it answers, but its cameras cannot be read, so custom roles see nothing new. */
  readonly nvr: Check;
  readonly events: Reached;
  /** The pair in `tls.certificate` and `tls.private_key`. */
  readonly certificate: Check;
  /** Open file descriptors against their limit. */
  readonly descriptors: Check;
  readonly event_loop: Check;
  readonly clock: Check;
  /** Whether log lines were dropped. */
  readonly log: Check;
}

export const OK = { kind: 'ok' } as const;

export const isReady = (readiness: Readiness): boolean =>
  Object.values(readiness).every((check: Check) => check.kind !== 'failed');

export async function checked(look: () => Promise<unknown>): Promise<Reached> {
  try {
    await look();
    return OK;
  } catch (fault) {
    return { kind: 'failed', reason: messageOf(fault) };
  }
}
