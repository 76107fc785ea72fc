/** Lists that Frigate gives for all cameras only, made of what it tells by camera (SPEC 5, `own-data`). */

import type { CameraView } from '../../access/camera-view.ts';
import type { AskNvr, Composition, ListRule, NvrAdapter } from '../../access/nvr-adapter.ts';
import { readMember } from '../../access/recorder-layout.ts';
import { isSince } from '../../access/time-locators.ts';
import { withoutForeignObjects } from '../../access/without-foreign.ts';
import { askInTurns } from '../../domain/async.ts';
import { isRecord, type JsonRecord, UnexpectedForm } from '../../domain/json.ts';
import { splitCommas } from '../../domain/text.ts';

/** Each label and each name is a question to the NVR. */
const MOST_LABELS = 100;
const MOST_NAMES = 500;
const DEFAULT_LIMIT = 10;
const MOST_OF_A_LABEL = 50;
/** One event that has the name would do; the NVR also finds names that only begin like it. */
const EVENTS_PER_NAME = 3;
const EVENTS_WITH_PLATES = 1000;
const EVENTS_WITH_LABELS = 1000;

/** `event_count` counts what is in the list: how many there are of all is told for all cameras only. */
async function newestOfEachLabel({ view, limit: most = DEFAULT_LIMIT, ask }: Composition): Promise<readonly unknown[]> {
  const lists = await askInTurns(view.cameras, (camera) => listAt(ask, '/api/labels', { camera }));
  const labels = [...new Set(lists.flat())].filter(isAskable).slice(0, MOST_LABELS);
  const found = await askInTurns(most > 0 ? labels : [], async (label) => {
    const events = await seenEvents({ view, ask }, { labels: label, limit: most });
    return events.filter((event) => event['label'] === label);
  });
  return counted(found);
}

/** No more than so many events of each label. */
function cut(list: readonly unknown[], most: number): readonly unknown[] {
  const byLabel = Map.groupBy(list.filter(isRecord), (event) => event['label']);
  return counted([...byLabel.values()].map((events) => events.slice(0, most)));
}

const counted = (byLabel: readonly (readonly JsonRecord[])[]): readonly unknown[] =>
  byLabel
    .flatMap((events) => events.map((event) => ({ ...event, event_count: events.length })))
    .sort((one, other) => other.event_count - one.event_count || startTime(other) - startTime(one));

/** Asked for only where the reader sees nothing older than a moment: of the newest events since then. */
async function labelsOfSeen({ view, ask }: Composition): Promise<readonly string[]> {
  const events = await seenEvents({ view, ask }, { limit: EVENTS_WITH_LABELS });
  return [...new Set(events.map(({ label }) => label).filter((label) => typeof label === 'string'))].sort();
}

/** The NVR's own names without the names that no event of a visible camera has. */
async function subLabelsOfSeen({ view, ask }: Composition): Promise<readonly string[]> {
  const all = await listAt(ask, '/api/sub_labels', { split_joined: '1' });
  const names = all.filter(isAskable).slice(0, MOST_NAMES);
  const isSeen = await askInTurns(names, async (name) => {
    const events = await seenEvents({ view, ask }, { sub_labels: name, limit: EVENTS_PER_NAME });
    return events.some((event) => splitNames(event['sub_label']).some((one) => isSame(one, name)));
  });
  return names.filter((_, at) => isSeen[at]);
}

/** Plates of the newest events that have one: the pattern `.` matches any plate. */
async function platesOfSeen({ view, ask }: Composition): Promise<readonly string[]> {
  const events = await seenEvents({ view, ask }, { recognized_license_plate: '.', limit: EVENTS_WITH_PLATES });
  const plates = events.flatMap((event) => splitNames(readMember(event['data'], 'recognized_license_plate')));
  return [...new Set(plates)].sort();
}

async function seenEvents(
  { view, ask }: Pick<Composition, 'view' | 'ask'>,
  wanted: Readonly<Record<string, string | number>>,
): Promise<readonly JsonRecord[]> {
  const events = await listAt(ask, '/api/events', {
    ...wanted,
    cameras: view.cameras.join(','),
    include_thumbnails: 0,
    ...(view.since !== undefined && { after: view.since }),
  });
  // An NVR may be too old to know the parameter.
  return seenRows(events, view).map((event) => withoutForeignObjects(event, view) as JsonRecord);
}

export const seenRows = (rows: readonly unknown[], { sees, since }: CameraView): readonly JsonRecord[] =>
  rows.filter(isRecord).filter((row) => sees(String(row['camera'])) && (since === undefined || isSince(row, since)));

async function listAt(
  ask: AskNvr,
  path: string,
  query: Readonly<Record<string, string | number>>,
): Promise<readonly unknown[]> {
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  const list = await ask(`${path}?${new URLSearchParams(pairs)}`);
  if (!Array.isArray(list)) throw new UnexpectedForm(`${path} was not answered with a list`);
  return list;
}

/** The NVR reads commas as a list, and these words as other questions. */
const isAskable = (name: unknown): name is string =>
  typeof name === 'string' && name !== '' && name !== 'all' && name !== 'None' && !name.includes(',');

/** Several names of one event are joined by commas. */
const splitNames = (joined: unknown): string[] => (typeof joined === 'string' ? splitCommas(joined) : []);

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const startTime = (event: JsonRecord): number => Number(event['start_time'] ?? 0);

/** Milliseconds. The pages ask for the newest events again and again; names hardly change. */
const NEWEST_KEPT_FOR = 10_000;
const NAMES_KEPT_FOR = 60_000;

const names = (compose: ListRule['compose']): ListRule => ({ keptFor: NAMES_KEPT_FOR, compose });

export const LISTS: NvrAdapter['lists'] = {
  explore: {
    keptFor: NEWEST_KEPT_FOR,
    limit: {
      of: (asked) => Math.max(0, Math.min(asked ?? DEFAULT_LIMIT, MOST_OF_A_LABEL)),
      composed: (limit) => (limit <= DEFAULT_LIMIT ? DEFAULT_LIMIT : MOST_OF_A_LABEL),
      cut,
    },
    compose: newestOfEachLabel,
  },
  labels: names(labelsOfSeen),
  sub_labels: names(subLabelsOfSeen),
  plates: names(platesOfSeen),
};
