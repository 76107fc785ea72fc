/** A check that no hanging server can hold: the answer comes from what is known, and the question goes on beside it (SPEC 9). */
import { withTimeLimit } from '../domain/async.ts';
import { messageOf } from '../domain/result.ts';
import type { Reached } from './readiness.ts';

export interface KnownCheckDeps {
  /** The subject of the reason: `the NVR`. */
  readonly name: string;
  readonly ask: () => Promise<Reached>;
  /** What is known meanwhile; `last` is the answer to the question before. */
  readonly known: (last: Reached | undefined) => Reached;
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
}

/** Whoever asks for readiness waits so long for an answer of now. */
const PATIENCE_MS = 100;
/** A question that is open for longer is an answer by itself. */
const SILENT_MS = 1500;

/** One question at a time, however many want to know. */
export function createKnownCheck({ name, ask, known, now }: KnownCheckDeps): () => Promise<Reached> {
  let last: Reached | undefined;
  let since = 0;
  let asking: Promise<Reached> | undefined;
  const begin = async (): Promise<Reached> => {
    since = now();
    try {
      last = await ask();
    } catch (fault) {
      last = { kind: 'failed', reason: messageOf(fault) };
    }
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
