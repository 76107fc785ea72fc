/** What is told of an event beside its picture: every field of the record (interface 2.4), and what people look for in `data`. */
import { isFields, numberOf, textOf } from '../../shared/fields.ts';
import { formatMoment, formatScore } from '../../shared/times.ts';
import { words } from '../../shared/words.ts';
import type { EventView } from '../event-view.ts';

export type EventFact = readonly [name: string, value: string];

const yesOrNo = (value: unknown): string =>
  value === true ? words.common.yes : value === false ? words.common.no : '–';
const orDash = (value: unknown): string => (typeof value === 'string' && value !== '' ? value : '–');

// biome-ignore format: a table
export const factsOf = (event: EventView): readonly EventFact[] => [
  [words.details.camera,         event.camera],
  [words.details.subLabel,       event.subLabel ?? '–'],
  [words.details.score,          event.score === undefined ? '–' : formatScore(event.score)],
  ...factsInside(event.record['data']),
  [words.details.zones,          event.zones.join(', ') || '–'],
  [words.details.started,        formatMoment(event.startTime)],
  [words.details.ended,          event.endTime === undefined ? '–' : formatMoment(event.endTime)],
  [words.details.clip,           yesOrNo(event.record['has_clip'])],
  [words.details.snapshot,       yesOrNo(event.record['has_snapshot'])],
  [words.details.kept,           yesOrNo(event.record['retain_indefinitely'])],
  [words.details.falsePositive,  yesOrNo(event.record['false_positive'])],
  [words.details.submitted,      orDash(event.record['plus_id'])],
  [words.details.detector,       orDash(event.record['detector_type'])],
  [words.details.model,          orDash(event.record['model_type'])],
  [words.details.modelHash,      orDash(event.record['model_hash'])],
  [words.details.id,             event.id],
];

/** Only some events have these. */
function factsInside(inner: unknown): readonly EventFact[] {
  const fields = isFields(inner) ? inner : {};
  // biome-ignore format: a table
  const facts: [name: string, value: string | undefined][] = [
    [words.details.plate,       textOf(fields['recognized_license_plate'])],
    [words.details.speed,       numberOf(fields['average_estimated_speed'])?.toFixed(1)],
    [words.details.description, textOf(fields['description'])],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== undefined);
}
