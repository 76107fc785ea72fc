/** The parameters of a request: those of GET /api/events as one question, or every one that is wrong (interface 4.1). */
import type { Context } from 'koa';
import { type Contribution, FILTERS, type Filter, NEWEST_FIRST } from '../domain/events/event-filters.ts';
import type { EventCondition } from '../domain/events/event-question.ts';
import type { Parsed } from '../domain/events/parse-value.ts';
import type { ZoneOffsets } from '../domain/zone-offsets.ts';
import { type BadParameter, badParameters } from './responses.ts';

/** Interface 4.1. */
const DEFAULT_LIMIT = 100;
const DEFAULT_ZONE = 'UTC';
const DAY_SECONDS = 86_400;

/**
 * What is asked, before it is known what the caller may see. Names that are not in the table are ignored; of a repeated one the last
 * counts. Throws for all that are bad.
 */
export function readEventsQuery(
  query: URLSearchParams,
  offsetsOf: ZoneOffsets,
  filters: Readonly<Record<string, Filter>> = FILTERS,
) {
  const contributions: Contribution[] = [];
  const bad: BadParameter[] = [];
  for (const [name, filter] of Object.entries(filters)) {
    const text = readFilter(name, query, filters);
    if (text === undefined) continue;
    const read = filter.read(text);
    if (!read.ok) bad.push({ name, input: text, ...read.error });
    else if (!isOverruled(filter, query, filters)) contributions.push(read.value);
  }
  if (bad.length > 0) throw badParameters(bad);
  return asQuery(contributions, offsetsOf);
}

/** Undefined when the parameter is absent or asks for nothing. */
function readFilter(
  name: string,
  query: URLSearchParams,
  filters: Readonly<Record<string, Filter>>,
): string | undefined {
  const text = query.getAll(name).at(-1);
  return text === filters[name]?.unset ? undefined : text;
}

const isOverruled = (filter: Filter, query: URLSearchParams, filters: Readonly<Record<string, Filter>>): boolean =>
  filter.yieldsTo !== undefined && readFilter(filter.yieldsTo, query, filters) !== undefined;

function asQuery(contributions: readonly Contribution[], offsetsOf: ZoneOffsets) {
  const settings: Contribution = Object.assign({}, ...contributions);
  const cameraLists = contributions.flatMap(({ cameras }) => (cameras ? [cameras] : []));
  return {
    /** Each list narrows; null when no camera is named. */
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

/** The few parameters of the smaller routes: the last of each name, undefined when it is absent. Throws for all that are bad, or required and absent. */
export function readParameters<Values extends Record<string, unknown>>(
  { querystring }: Context,
  readers: { readonly [Name in keyof Values]: (text: string) => Parsed<Values[Name]> },
  required: readonly (keyof Values)[] = [],
): Partial<Values> {
  const query = new URLSearchParams(querystring);
  const bad: BadParameter[] = [];
  const values: Partial<Values> = {};
  for (const [name, read] of Object.entries(readers) as [keyof Values & string, (text: string) => Parsed<never>][]) {
    const input = query.getAll(name).at(-1);
    const parsed = input === undefined ? undefined : read(input);
    if (parsed?.ok) values[name] = parsed.value;
    else if (parsed) bad.push({ name, input, ...parsed.error });
    else if (required.includes(name)) bad.push({ name, input, type: 'missing', message: 'Field required' });
  }
  if (bad.length > 0) throw badParameters(bad);
  return values;
}
