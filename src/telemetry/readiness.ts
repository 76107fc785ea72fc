/** The parts of the service: what is known of each, for `/readyz`, the page Status, the metrics and the log (SPEC 8, 9). */
import { type MaybePromise, sharedRun, withTimeLimit } from '../domain/async.ts';
import { steadyNow } from '../domain/clock.ts';
import type { RefusalReason } from '../domain/refusal.ts';
import { faultMessage } from '../domain/result.ts';

/** The parts in the order of `/readyz`. One that is not looked at is `unused`. */
const PARTS = [
  'store',
  /** Whether changes of other replicas are heard. */
  'store_changes',
  /** `degraded`: it answers, but its cameras cannot be read, so custom roles see nothing new. */
  'nvr',
  'events',
  /** The pair in `tls.certificate` and `tls.private_key`. */
  'certificate',
  /** Open file descriptors against their limit. */
  'descriptors',
  'event_loop',
  'clock',
  /** Whether log lines were dropped. */
  'log',
] as const;
type Part = (typeof PARTS)[number];

export type PartState =
  | { readonly kind: 'ok' }
  /** It is not configured. */
  | { readonly kind: 'unused' }
  /** `degraded`: it works in part, and requests still come. `problem`: by it pages say the reason in the reader's language. */
  | { readonly kind: 'degraded' | 'failed'; readonly reason: string; readonly problem?: RefusalReason };

type Look = (() => MaybePromise<PartState>) | undefined;

export interface Parts extends Readonly<Partial<Record<Part, Look>>> {
  /** Whether the servers that sign identities answered when they were last asked. Left out where none is configured. */
  readonly identity_providers?: Look;
}

export type Readiness = Readonly<Record<Part, PartState>>;

export const OK = { kind: 'ok' } as const;
export const UNUSED = { kind: 'unused' } as const;

/** Works in part where there is a reason for it, else as a whole. */
export const degradedBy = (reason: string | false | undefined): PartState =>
  reason === undefined || reason === false ? OK : { kind: 'degraded', reason };

export async function readinessOf(parts: Parts): Promise<Readiness> {
  const names = [...new Set([...PARTS, ...(Object.keys(parts) as (keyof Parts)[])])];
  const looks = names.map(async (name) => [name, (await parts[name]?.()) ?? UNUSED] as const);
  return Object.fromEntries(await Promise.all(looks)) as Readiness;
}

/** Whether this instance should be sent requests. */
export const isReady = (readiness: Readiness): boolean =>
  Object.values(readiness).every(({ kind }) => kind !== 'failed');

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
  problem,
  ask,
  known,
  now = steadyNow,
}: {
  /** The subject of the reason: `the NVR`. */
  readonly name: string;
  /** What no answer means. */
  readonly problem: RefusalReason;
  readonly ask: () => Promise<PartState>;
  /** What is known meanwhile; `last` is the answer to the question before. */
  readonly known: (last: PartState | undefined) => PartState;
  /** Milliseconds of a clock that is never set. */
  readonly now?: () => number;
}): () => Promise<PartState> {
  const failed = (reason: string): PartState => ({ kind: 'failed', reason, problem });
  let last: PartState | undefined;
  let since = 0;
  const asked = sharedRun(async () => {
    since = now();
    last = await ask().catch((fault: unknown) => failed(faultMessage(fault)));
    return last;
  });
  const meanwhile = (): PartState => {
    const silent = now() - since;
    return silent < SILENT_MS ? known(last) : failed(`${name} has given no answer for ${Math.floor(silent / 1000)} s`);
  };
  return () => withTimeLimit(asked(), PATIENCE_MS, meanwhile);
}

/** Follows whether something works, by what was found last, and tells once when it begins to fail and once when it works again. */
export function watchFault<Fault>({
  up,
  onFault,
  onReturn,
}: {
  /** A gauge. */
  readonly up?: { set(value: 0 | 1): void };
  readonly onFault: (fault: Fault) => void;
  readonly onReturn?: () => void;
}) {
  let known: Fault | undefined;
  return {
    /** Called after each look; no fault: it works. */
    found(fault?: Fault): void {
      const before = known;
      known = fault;
      up?.set(fault === undefined ? 1 : 0);
      if (fault !== undefined && before === undefined) onFault(fault);
      if (fault === undefined && before !== undefined) onReturn?.();
    },
    /** What was wrong when it was last looked at. */
    fault: (): Fault | undefined => known,
  };
}
