/** Readiness: whether this instance should be sent requests, part by part, as `/readyz` answers it (SPEC 9). */
import { withTimeLimit } from '../domain/async.ts';
import { faultMessage } from '../domain/result.ts';

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
    return { kind: 'failed', reason: faultMessage(fault) };
  }
}

/** Whoever asks for readiness waits so long for an answer of now. */
const PATIENCE_MS = 100;
/** A question that is open for longer is an answer by itself. */
const SILENT_MS = 1500;

/**
 * A check that no hanging server can hold: the answer comes from what is known, and the question goes on beside it, one at a
 * time, however many want to know.
 */
export function createKnownCheck({
  name,
  ask,
  known,
  now,
}: {
  /** The subject of the reason: `the NVR`. */
  readonly name: string;
  readonly ask: () => Promise<Reached>;
  /** What is known meanwhile; `last` is the answer to the question before. */
  readonly known: (last: Reached | undefined) => Reached;
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
}): () => Promise<Reached> {
  let last: Reached | undefined;
  let since = 0;
  let asking: Promise<Reached> | undefined;
  const begin = async (): Promise<Reached> => {
    since = now();
    last = await ask().catch((fault: unknown): Reached => ({ kind: 'failed', reason: faultMessage(fault) }));
    asking = undefined;
    return last;
  };
  const meanwhile = (): Reached => {
    const silent = now() - since;
    if (silent < SILENT_MS) return known(last);
    return { kind: 'failed', reason: `${name} has given no answer for ${Math.floor(silent / 1000)} s` };
  };
  return () => {
    asking ??= begin();
    return withTimeLimit(asking, PATIENCE_MS, meanwhile);
  };
}
