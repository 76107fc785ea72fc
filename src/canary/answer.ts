/** How the canary asks, and what comes back: by the pipeline that serves every client. */
import type { RefusalReason } from '../domain/refusal.ts';

/** `canary` sees one camera; `witness` is an admin, by which the canary knows what there is to be found. */
export type Asker = 'canary' | 'witness';

export interface Answer {
  readonly status: number;
  /** Lower-case; empty without a Content-Type. */
  readonly type: string;
  /** Text of headers that may name a camera: Content-Disposition, Link, Location. */
  readonly headers: string;
  /** The beginning of the body, as far as it was read. */
  readonly body: string;
  /** Whether `body` is all of it. */
  readonly isWhole: boolean;
  /** Why Postern refused it; undefined when it did not. `nothing-visible`: Postern answered that there is nothing. */
  readonly refused: RefusalReason | 'nothing-visible' | undefined;
  /** Whether the answer is one of an upstream: of the NVR or the events backend. */
  readonly isOfUpstream: boolean;
}

/** `target` is a path with its query. Rejects when there is no answer in time; with `Stopped` when the round must end. */
export type Ask = (as: Asker, target: string) => Promise<Answer>;

/** The service stops, or another configuration holds now: the round ends. */
export class Stopped extends Error {
  override name = 'Stopped';
}

/** The JSON of a whole answer with status 200; undefined for any other. */
export function jsonOf({ status, body, isWhole }: Answer): unknown {
  if (status !== 200 || !isWhole) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
