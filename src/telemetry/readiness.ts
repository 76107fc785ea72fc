/** Readiness: whether this instance should be sent requests, part by part, as `/readyz` answers it (SPEC 9). */
import { withTimeLimit } from '../domain/async.ts';
import { faultMessage } from '../domain/result.ts';
import type { ReachStatus } from '../domain/status.ts';

/** `degraded` is told, and requests still come; `failed` makes the answer 503. */
export type CheckResult = ReachStatus | { readonly kind: 'degraded'; readonly reason: string };

export interface Readiness {
  readonly store: ReachStatus;
  /** Whether changes of other replicas are heard. */
  readonly store_changes: CheckResult;
  /** `degraded`: it answers, but its cameras cannot be read, so custom roles see nothing new. */
  readonly nvr: CheckResult;
  readonly events: ReachStatus;
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

export async function checked(look: () => Promise<unknown>): Promise<ReachStatus> {
  try {
    await look();
    return OK;
  } catch (fault) {
    return { kind: 'failed', reason: faultMessage(fault) };
  }
}

/** A question for readiness waits so long for an answer of now. */
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
  readonly ask: () => Promise<ReachStatus>;
  /** What is known meanwhile; `last` is the answer to the question before. */
  readonly known: (last: ReachStatus | undefined) => ReachStatus;
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
}): () => Promise<ReachStatus> {
  let last: ReachStatus | undefined;
  let since = 0;
  let asking: Promise<ReachStatus> | undefined;
  const begin = async (): Promise<ReachStatus> => {
    since = now();
    last = await ask().catch((fault: unknown): ReachStatus => ({ kind: 'failed', reason: faultMessage(fault) }));
    asking = undefined;
    return last;
  };
  const meanwhile = (): ReachStatus => {
    const silent = now() - since;
    if (silent < SILENT_MS) return known(last);
    return { kind: 'failed', reason: `${name} has given no answer for ${Math.floor(silent / 1000)} s` };
  };
  return () => {
    asking ??= begin();
    return withTimeLimit(asking, PATIENCE_MS, meanwhile);
  };
}

export type Answer = { readonly kind: 'up' } | { readonly kind: 'down'; readonly why: string };

/**
 * Whether a server that identities depend on answered when it was last asked: told once at each change, and in `/readyz`.
 * `report` is called for the first answer and for each change; `wasDown` tells a return from a beginning.
 */
export function watchAnswers(report: (answer: Answer, wasDown: boolean) => void) {
  let last: Answer | undefined;
  return {
    onAnswer(answer: Answer): void {
      const before = last?.kind;
      last = answer;
      if (answer.kind !== before) report(answer, before === 'down');
    },
    /** Why the last answer was none; undefined before the first. */
    fault: (): string | undefined => (last?.kind === 'down' ? last.why : undefined),
  };
}
