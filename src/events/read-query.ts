/** The query of GET /api/events as one question, or every parameter that is wrong with it (interface 4.1). */

import { type Contribution, FILTERS, type Filter, NEWEST_FIRST } from '../domain/events/event-filters.ts';
import type { EventCondition, EventSort, PageEnd } from '../domain/events/event-question.ts';
import type { ParameterFault } from '../domain/events/parse-value.ts';
import type { ZoneOffsets } from '../domain/events/zone-offsets.ts';
import { err, ok, type Result } from '../domain/result.ts';

export interface BadParameter extends ParameterFault {
  readonly name: string;
  /** Undefined when it is required and absent. */
  readonly input: string | undefined;
}

/** What is asked, before it is known what the caller may see. */
export interface EventsQuery {
  /** Each list narrows; null when no camera is named. */
  readonly cameras: readonly string[] | null;
  readonly conditions: readonly EventCondition[];
  readonly sort: EventSort;
  readonly limit: number;
  readonly after: PageEnd | undefined;
  readonly hasThumbnails: boolean;
}

/** Interface 4.1. */
const DEFAULT_LIMIT = 100;
const DEFAULT_ZONE = 'UTC';
const DAY_SECONDS = 86_400;

/** Names that are not in the table are ignored; of a repeated one the last counts. */
export function readEventsQuery(
  query: URLSearchParams,
  offsetsOf: ZoneOffsets,
  filters: Readonly<Record<string, Filter>> = FILTERS,
): Result<EventsQuery, readonly BadParameter[]> {
  const contributions: Contribution[] = [];
  const bad: BadParameter[] = [];
  for (const [name, filter] of Object.entries(filters)) {
    const text = textOf(name, query, filters);
    if (text === undefined) continue;
    const read = filter.read(text);
    if (!read.ok) bad.push({ name, input: text, ...read.error });
    else if (!isOverruled(filter, query, filters)) contributions.push(read.value);
  }
  return bad.length > 0 ? err(bad) : ok(asQuery(contributions, offsetsOf));
}

/** Undefined when the parameter is absent or asks for nothing. */
function textOf(name: string, query: URLSearchParams, filters: Readonly<Record<string, Filter>>): string | undefined {
  const text = query.getAll(name).at(-1);
  return text === filters[name]?.unset ? undefined : text;
}

const isOverruled = (filter: Filter, query: URLSearchParams, filters: Readonly<Record<string, Filter>>): boolean =>
  filter.yieldsTo !== undefined && textOf(filter.yieldsTo, query, filters) !== undefined;

function asQuery(contributions: readonly Contribution[], offsetsOf: ZoneOffsets): EventsQuery {
  const settings: Contribution = Object.assign({}, ...contributions);
  const cameraLists = contributions.flatMap(({ cameras }) => (cameras ? [cameras] : []));
  return {
    cameras: cameraLists.reduce<readonly string[] | null>(inBoth, null),
    conditions: [
      ...contributions.flatMap(({ condition }) => condition ?? []),
      ...timeOfDay(settings.timeRange, settings.timeZone ?? DEFAULT_ZONE, offsetsOf),
    ],
    sort: settings.sort ?? NEWEST_FIRST,
    limit: settings.limit ?? DEFAULT_LIMIT,
    after: settings.after,
    hasThumbnails: settings.hasThumbnails ?? true,
  };
}

const inBoth = (one: readonly string[] | null, other: readonly string[]): readonly string[] =>
  one === null ? other : one.filter((name) => other.includes(name));

/** Equal ends are the whole day, and so is midnight to midnight. */
function timeOfDay(range: Contribution['timeRange'], zone: string, offsetsOf: ZoneOffsets): EventCondition[] {
  if (!range || range.from === range.until) return [];
  if (range.from === 0 && range.until === DAY_SECONDS) return [];
  return [{ kind: 'time-of-day', ...range, offsets: offsetsOf(zone) }];
}
