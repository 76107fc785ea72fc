/** The events that began at a moment or later, and nothing that tells of older ones: for callers who see no further back (SPEC 13). */

import { NEWEST_FIRST } from '../domain/events/event-filters.ts';
import type { DistinctColumn, EventGroup, EventSource, StoredEvent } from '../domain/events/event-question.ts';

const UTC = [{ since: 0, seconds: 0 }];
/** The year 3000. */
const LATEST = 32_503_680_000;
/** Plates are read from the newest events that have one. */
const EVENTS_WITH_PLATES = 10_000;
const ANY_PLATE = { kind: 'plate', isWanted: { plates: [], matches: () => true }, orNone: false } as const;

/** `since` in Unix seconds. */
export function eventsSince(events: EventSource, since: number): EventSource {
  const sinceThen = { kind: 'compared', measure: 'start_time', by: '>=', to: since } as const;
  const groupsOf = (cameras: readonly string[] | null): Promise<readonly EventGroup[]> =>
    events.groups({ cameras, conditions: [], offsets: UTC, from: since, until: LATEST });
  const platesOf = async (cameras: readonly string[] | null): Promise<string[]> => {
    const question = { cameras, conditions: [sinceThen, ANY_PLATE], sort: NEWEST_FIRST, limit: EVENTS_WITH_PLATES };
    const found = await events.find(question);
    const read = await events.read(
      found.map(({ id }) => id),
      { thumbnails: false },
    );
    return read.flatMap(plateOf);
  };
  return {
    find: (question) => events.find({ ...question, conditions: [...question.conditions, sinceThen] }),
    read: async (ids, include) => (await events.read(ids, include)).filter(({ start_time }) => start_time >= since),
    cameras: events.cameras,
    async countByLabel(cameras) {
      const counts = new Map<string, number>();
      for (const { label, count } of await groupsOf(cameras)) counts.set(label, (counts.get(label) ?? 0) + count);
      return counts;
    },
    async distinct(column: DistinctColumn, cameras) {
      if (column === 'plate') return [...new Set(await platesOf(cameras))];
      const names = (await groupsOf(cameras)).map((group) => group[column]);
      return [...new Set(names.filter((name) => name !== null))];
    },
    groups: (question) => events.groups({ ...question, from: Math.max(question.from, since) }),
    countByDay: (question) => events.countByDay({ ...question, conditions: [...question.conditions, sinceThen] }),
    firstStart: (time) => events.firstStart(Math.max(time, since)),
    // What is counted of all events is kept by this: nothing that is counted here may be taken for it, nor the other way round.
    writesByDay: async () => null,
  };
}

function plateOf({ dataJson }: StoredEvent): string[] {
  const data: unknown = JSON.parse(dataJson);
  const plate: unknown = Object(data)['recognized_license_plate'];
  return typeof plate === 'string' ? [plate] : [];
}
