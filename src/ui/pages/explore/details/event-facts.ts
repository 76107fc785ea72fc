/** What is told of an event beside its picture: every field of the record (interface 2.4), and what people look for in `data`. */
import { isFields, numberOf, textOf } from '../../shared/forms/fields.ts';
import { cameraName } from '../../shared/names.ts';
import { spaced } from '../../shared/spaced.ts';
import { formatMoment, formatScore, formatTenths } from '../../shared/times.ts';
import { words } from '../../shared/words.ts';
import type { EventView } from '../event-view.ts';

export type EventFact = readonly [name: string, value: string];

const yesOrNo = (value: unknown): string | undefined =>
  value === true ? words.ui.common.yes : value === false ? words.ui.common.no : undefined;

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
    [words.explore.details.camera,         cameraName(event.camera)],
    [words.explore.details.subLabel,       event.subLabel],
    [words.explore.details.score,          event.score === undefined ? undefined : formatScore(event.score)],
    [words.explore.details.plate,          textOf(inner['recognized_license_plate'])],
    [words.explore.details.speed,          speed === undefined ? undefined : formatTenths(speed)],
    [words.explore.details.description,    textOf(inner['description'])],
    [words.explore.details.zones,          event.zones.map(spaced).join(', ')],
    [words.explore.details.started,        formatMoment(event.startTime)],
    [words.explore.details.ended,          event.endTime === undefined ? undefined : formatMoment(event.endTime)],
  ];
  // biome-ignore format: a table
  const technical: readonly PossibleFact[] = [
    [words.explore.details.clip,           yesOrNo(record['has_clip'])],
    [words.explore.details.snapshot,       yesOrNo(record['has_snapshot'])],
    [words.explore.details.kept,           yesOrNo(record['retain_indefinitely'])],
    [words.explore.details.falsePositive,  yesOrNo(record['false_positive'])],
    [words.explore.details.submitted,      textOf(record['plus_id'])],
    [words.explore.details.detector,       textOf(record['detector_type'])],
    [words.explore.details.model,          textOf(record['model_type'])],
    [words.explore.details.modelHash,      textOf(record['model_hash'])],
    [words.explore.details.id,             event.id],
  ];
  return { forPeople: forPeople.filter(isThere), technical: technical.filter(isThere) };
}

type PossibleFact = readonly [name: string, value: string | undefined];

const isThere = (fact: PossibleFact): fact is EventFact => fact[1] !== undefined && fact[1] !== '';
