/** An event record as the pages show it (interface 2.4), read from whatever the answer holds. */
import { type Fields, isFields, numberOf, textOf, textsOf, timeOf } from '../shared/forms/fields.ts';
import { words } from '../shared/words.ts';
import { pictureUrl } from './picture-url.ts';

export interface EventView {
  readonly id: string;
  readonly camera: string;
  readonly label: string;
  readonly subLabel: string | undefined;
  readonly zones: readonly string[];
  /** Unix seconds. */
  readonly startTime: number;
  /** Undefined while the event is in progress. */
  readonly endTime: number | undefined;
  /** 0 to 1. */
  readonly score: number | undefined;
  /** A `data:` URL; undefined when the record holds no picture that can be shown. */
  readonly picture: string | undefined;
  /** The picture is kept in a file instead: it can be asked for by id. */
  readonly isPictureInFile: boolean;
  readonly record: Fields;
}

/** A record without id or start time is no event: it is left out. */
export const readEvents = (body: unknown): EventView[] =>
  Array.isArray(body) ? body.map(readEvent).filter((event) => event !== undefined) : [];

export function readEvent(record: unknown): EventView | undefined {
  if (!isFields(record)) return undefined;
  const id = textOf(record['id']);
  const startTime = timeOf(record['start_time']);
  if (id === undefined || startTime === undefined) return undefined;
  return {
    id,
    startTime,
    endTime: timeOf(record['end_time']),
    camera: textOf(record['camera']) ?? words.explore.unknownCamera,
    label: textOf(record['label']) ?? words.explore.unknownLabel,
    subLabel: textOf(record['sub_label']),
    zones: textsOf(record['zones']),
    score: scoreOf(record),
    picture: pictureUrl(textOf(record['thumbnail'])),
    isPictureInFile: record['thumbnail'] === null && (record['has_snapshot'] === true || record['has_clip'] === true),
    record,
  };
}

function scoreOf(record: Fields): number | undefined {
  const inner = isFields(record['data']) ? record['data'] : {};
  const score = numberOf(inner['score']) ?? numberOf(inner['top_score']) ?? numberOf(record['top_score']);
  return score !== undefined && score >= 0 && score <= 1 ? score : undefined;
}
