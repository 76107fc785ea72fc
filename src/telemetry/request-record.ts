/** The record of one request while it is handled: what is counted and logged of it (SPEC 9). */
import type { Caller } from '../domain/caller.ts';
import type { RefusalReason } from '../domain/refusal.ts';
import type { RequestFacts } from '../domain/request.ts';
import type { RouteClass, StreamEnd, StreamKind } from './metric-labels.ts';

/** The fields of an admission that are counted and logged. */
export interface RecordedAdmission {
  readonly kind: 'admitted' | 'nothing-visible' | 'refused';
  readonly client: { readonly address: string; readonly viaTrustedProxy: boolean };
  readonly caller: Caller | undefined;
  readonly reason?: RefusalReason;
  /** The obligations. With `owners` the NVR was asked for the cameras of the ids, so the decision time includes its answer. */
  readonly obligations?: { readonly owners?: readonly unknown[] };
}

/** Times are milliseconds of a clock that only goes forward. */
export interface RequestRecord {
  readonly request: RequestFacts;
  readonly route: RouteClass;
  readonly startedAt: number;
  requestId: string | undefined;
  /** What a proxy in front described, where that was judged. */
  described: RequestFacts | undefined;
  admission: RecordedAdmission | undefined;
  /** Why it was refused or could not be answered. */
  reason: RefusalReason | undefined;
  askedAt: number | undefined;
  headAt: number | undefined;
  headStatus: number | undefined;
  /** Node's code for what went wrong upstream. */
  upstreamCode: string;
  /** Node's sentence for it. */
  upstreamCause: string | undefined;
  hasUpstreamFailed: boolean;
  bytesOut: number;
  streamKind: StreamKind | undefined;
  endedBy: StreamEnd | undefined;
}

export interface RequestEnd {
  readonly status: number;
  /** Whether the client got all of it. */
  readonly isWhole: boolean;
  readonly seconds: number;
}

export const requestRecordOf = (request: RequestFacts, route: RouteClass, startedAt: number): RequestRecord => ({
  request,
  route,
  startedAt,
  requestId: undefined,
  described: undefined,
  admission: undefined,
  reason: undefined,
  askedAt: undefined,
  headAt: undefined,
  headStatus: undefined,
  upstreamCode: '',
  upstreamCause: undefined,
  hasUpstreamFailed: false,
  bytesOut: 0,
  streamKind: undefined,
  endedBy: undefined,
});
