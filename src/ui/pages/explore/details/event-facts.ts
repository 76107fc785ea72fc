/** What is told of an event beside its picture: every field of the record (interface 2.4), and what people look for in `data`. */
import { isFields, numberOf, textOf } from '../../shared/forms/fields.ts';
import { cameraName } from '../../shared/names.ts';
import { spaced } from '../../shared/spaced.ts';
import { formatMoment, formatScore, formatTenths } from '../../shared/times.ts';
import { words } from '../../shared/words.ts';
import type { EventView } from '../event-view.ts';

export type EventFact = readonly [name: string, value: string];

const yesOrNo = (value: unknown): string | undefined =>
  value === true ? words.common.yes : value === false ? words.common.no : undefined;

interface EventFacts {
  readonly forPeople: readonly EventFact[];
  /** What helps when something is wrong. */
  readonly technical: readonly EventFact[];
}

/** What the record does not hold is left out. */
export function factsOf(event: EventView): EventFacts {
  const { record } = event;
  const inner = isFields(record['data']) ? record['data'] : {};
  const speed = numberOf(inner['average_estimated_speed']);
  // biome-ignore format: a table
  const forPeople: readonly PossibleFact[] = [
    [words.details.camera,         cameraName(event.camera)],
    [words.details.subLabel,       event.subLabel],
    [words.details.score,          event.score === undefined ? undefined : formatScore(event.score)],
    [words.details.plate,          textOf(inner['recognized_license_plate'])],
    [words.details.speed,          speed === undefined ? undefined : formatTenths(speed)],
    [words.details.description,    textOf(inner['description'])],
    [words.details.zones,          event.zones.map(spaced).join(', ')],
    [words.details.started,        formatMoment(event.startTime)],
    [words.details.ended,          event.endTime === undefined ? undefined : formatMoment(event.endTime)],
  ];
  // biome-ignore format: a table
  const technical: readonly PossibleFact[] = [
    [words.details.clip,           yesOrNo(record['has_clip'])],
    [words.details.snapshot,       yesOrNo(record['has_snapshot'])],
    [words.details.kept,           yesOrNo(record['retain_indefinitely'])],
    [words.details.falsePositive,  yesOrNo(record['false_positive'])],
    [words.details.submitted,      textOf(record['plus_id'])],
    [words.details.detector,       textOf(record['detector_type'])],
    [words.details.model,          textOf(record['model_type'])],
    [words.details.modelHash,      textOf(record['model_hash'])],
    [words.details.id,             event.id],
  ];
  return { forPeople: forPeople.filter(isThere), technical: technical.filter(isThere) };
}

type PossibleFact = readonly [name: string, value: string | undefined];

const isThere = (fact: PossibleFact): fact is EventFact => fact[1] !== undefined && fact[1] !== '';
