/** GET /api/events/explore: the newest events of every label, the most frequent label first (SPEC 7). */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { NEWEST_FIRST } from '../domain/events/event-filters.ts';
import type { StoredEvent } from '../domain/events/event-question.ts';
import { parseCount } from '../domain/events/parse-value.ts';
import type { EventSource } from '../store/events/events-table.ts';
import { countWrites } from './changes-route.ts';
import type { EventsHandler } from './event-routes.ts';
import { readParameters } from './read-query.ts';
import { eventJson, sendJson, written } from './responses.ts';

const DEFAULT_LIMIT = 10;
const MOST_PER_LABEL = 1000;

/** Counting reads an index entry per event, so the counts for the same cameras are kept until an event is written. */
function createLabelCounts() {
  const known = new LRUCache<string, { writes: number; counts: ReadonlyMap<string, number> }>({
    max: MOST_COUNTS_KEPT,
  });
  return async (cameras: readonly string[] | null, events: EventSource): Promise<ReadonlyMap<string, number>> => {
    const writes = await countWrites(events);
    if (writes === null) return events.countByLabel(cameras);
    const key = JSON.stringify(cameras);
    const last = known.get(key);
    if (last?.writes === writes) return last.counts;
    const counts = await events.countByLabel(cameras);
    known.set(key, { writes, counts });
    return counts;
  };
}

/** One for each set of cameras, so about one for each role. */
const MOST_COUNTS_KEPT = 50;

export function exploreEvents(): EventsHandler {
  const countByLabel = createLabelCounts();
  return async (ctx) => {
    const { events, seen } = ctx.state;
    const { limit: wanted = DEFAULT_LIMIT } = readParameters(ctx, { limit: parseCount });
    const limit = Math.min(wanted, MOST_PER_LABEL);
    const cameras = await seen(null);
    const counts = limit === 0 ? new Map<string, number>() : await countByLabel(cameras, events);
    const byCount = [...counts].sort(([, one], [, other]) => other - one);
    const found: CountedEvent[] = [];
    for (const [label, count] of byCount) {
      const newest = { cameras, conditions: [isLabelled(label)], sort: NEWEST_FIRST, limit };
      const ids = (await events.find(newest)).map(({ id }) => id);
      found.push(...(await events.read(ids, { thumbnails: false })).map((event) => ({ event, count })));
      await nextTurn();
    }
    found.sort((one, other) => other.count - one.count || other.event.start_time - one.event.start_time);
    sendJson(ctx, `[${found.map(countedJson).join(',')}]`);
  };
}

type CountedEvent = { readonly event: StoredEvent; readonly count: number };

const isLabelled = (label: string) => ({ kind: 'one-of', field: 'label', values: [label] }) as const;

/** What the reference keeps of `data` here. */
const KEPT_DATA: readonly string[] = [
  'type',
  'score',
  'top_score',
  'description',
  'sub_label_score',
  'average_estimated_speed',
  'velocity_angle',
  'path_data',
  'recognized_license_plate',
  'recognized_license_plate_score',
];

function countedJson({ event, count }: CountedEvent): string {
  const all = Object.entries(JSON.parse(written(event.dataJson, '{}')) as Record<string, unknown>);
  const dataJson = JSON.stringify(Object.fromEntries(all.filter(([key]) => KEPT_DATA.includes(key))));
  return eventJson({ ...event, dataJson }, `,"event_count":${count}`);
}
