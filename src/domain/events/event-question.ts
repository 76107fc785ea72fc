/** A question to wherever events are kept, in no engine's words: what must hold, in which order, how many (interface 4.1). */
import type { ZoneOffset } from '../zone-offsets.ts';
import type { EventRecord } from './event.ts';

/** Names of which an event may carry several. */
export type EventNames = 'sub_label' | 'zone' | 'attribute';
/** Numbers of an event; absent ones compare with nothing. `length` is end minus start, in seconds. */
export type EventMeasure = 'start_time' | 'score' | 'speed' | 'length';
export type EventFlag = 'has_clip' | 'has_snapshot' | 'retain_indefinitely' | 'in_progress' | 'submitted';

export type EventCondition =
  | { readonly kind: 'one-of'; readonly field: 'id' | 'label'; readonly values: readonly string[] }
  | {
      readonly kind: 'compared';
      readonly measure: EventMeasure;
      readonly by: '<' | '<=' | '>' | '>=';
      readonly to: number;
    }
  | { readonly kind: 'flag'; readonly flag: EventFlag; readonly is: boolean }
  /** Carries one of the names; with `orNone`, also events that carry none. Sub-labels are folded by `foldCase`. */
  | { readonly kind: 'carries'; readonly of: EventNames; readonly names: readonly string[]; readonly orNone: boolean }
  /** Each of the words stands in the sub-label or in the description, whatever the case. */
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'plate'; readonly isWanted: WantedPlates; readonly orNone: boolean }
  /** The local time of day, in seconds since midnight, is in `[from, until)`, or outside `[until, from)` overnight. */
  | {
      readonly kind: 'time-of-day';
      readonly from: number;
      readonly until: number;
      /** The offsets in order of time; the first also holds for everything before it. */
      readonly offsets: readonly ZoneOffset[];
    };

/** Exact plates, and a test for plates that match a pattern. */
export interface WantedPlates {
  readonly plates: readonly string[];
  readonly matches?: ((plate: string) => boolean) | undefined;
}

export type SortKey = 'date' | 'score' | 'speed';
export interface EventSort {
  readonly key: SortKey;
  readonly direction: 'asc' | 'desc';
}

/** Where a page ended: the last event's sort value and id. */
export interface PageEnd {
  readonly value: number | null;
  readonly id: string;
}

export interface EventQuestion {
  /** Null: every camera there is. */
  readonly cameras: readonly string[] | null;
  /** All of them hold. */
  readonly conditions: readonly EventCondition[];
  /** Equal keys stand in order of id, in the same direction. Absent values stand below all others. */
  readonly sort: EventSort;
  readonly after?: PageEnd | undefined;
  readonly limit: number;
}

/** An event as it is kept: `zones` and `data` are the text of their JSON, `null` when they cannot be read there. */
export interface StoredEvent extends Omit<EventRecord, 'zones' | 'data'> {
  readonly zonesJson: string;
  readonly dataJson: string;
}

export interface FoundEvent {
  readonly id: string;
  readonly value: number | null;
}

/** Events of one local day that are alike in what a summary tells apart. */
export interface EventGroup {
  /** Days since 1 January 1970 on the local calendar. */
  readonly day: number;
  readonly camera: string;
  readonly label: string;
  readonly sub_label: string | null;
  readonly zonesJson: string;
  readonly count: number;
}

export interface GroupQuestion {
  readonly cameras: readonly string[] | null;
  readonly conditions: readonly EventCondition[];
  /** The offsets of the zone whose calendar counts. */
  readonly offsets: readonly ZoneOffset[];
  /** Start times in `[from, until)`. */
  readonly from: number;
  readonly until: number;
}

/** How many events of one camera begin on one local day. */
export type DayCount = Pick<EventGroup, 'day' | 'camera' | 'count'>;

export type DayQuestion = Pick<GroupQuestion, 'cameras' | 'conditions' | 'offsets'>;

/** When a query is given up, in milliseconds of a monotonic clock; earlier when the client has left. */
export interface Deadline {
  readonly at: number;
}

export type DistinctColumn = 'label' | 'sub_label' | 'plate';

/** One spelling for upper and lower case in any script. Upper first: `ß` and `ss`, final and other sigma become one. */
export const foldCase = (text: string): string => text.toUpperCase().toLowerCase();

/** `,bob,john,` of `Bob, John`: each element trimmed and folded, between commas, to be found whole. */
export function foldSubLabels(joined: string): string | null {
  const elements = joined.split(',').map((element) => foldCase(element.trim()));
  const named = elements.filter((element) => element !== '');
  return named.length > 0 ? `,${named.join(',')},` : null;
}

/** A question that was given up because it took longer than it may (SPEC 7). */
const CODE = 'OUT_OF_TIME';

export const outOfTime = (): Error => Object.assign(new Error('the query took too long'), { code: CODE });

export const isPast = (deadline: Deadline | undefined): boolean =>
  deadline !== undefined && performance.now() > deadline.at;

export const isOutOfTime = (fault: unknown): boolean =>
  fault instanceof Error && 'code' in fault && fault.code === CODE;
