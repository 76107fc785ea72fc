/** An event record as the pages show it (interface 2.4), read from whatever the answer holds, and what is told of it beside its picture. */
import { spaced } from '../shared/spelling.ts';
import { type Fields, isFields, numberOf, textOf, textsOf, timeOf } from '../shared/untrusted.ts';
import { cameraName, formatMoment, formatScore, formatTenths, words } from '../shared/words.ts';

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

/** The base64 picture of a record as a `data:` URL: the kind is told from its first bytes, never from what is claimed. */
// biome-ignore format: a table
const KINDS: readonly [firstBytes: RegExp, type: string][] = [
  [/^\x89PNG\r\n/,          'image/png'],
  [/^\xff\xd8\xff/,         'image/jpeg'],
  [/^RIFF.{4}WEBP/s,        'image/webp'],
  [/^GIF8/,                 'image/gif'],
  // In an <img> an SVG is only a picture: it runs no script and loads nothing.
  [/^(?:<svg[\s>]|<\?xml\s)/, 'image/svg+xml'],
];

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Enough to tell the kind: twelve bytes. */
const HEAD_CHARACTERS = 16;

export function pictureUrl(base64: string | undefined): string | undefined {
  if (base64 === undefined || !BASE64.test(base64) || base64.length < HEAD_CHARACTERS) return undefined;
  const head = atob(base64.slice(0, HEAD_CHARACTERS));
  const kind = KINDS.find(([firstBytes]) => firstBytes.test(head));
  return kind && `data:${kind[1]};base64,${base64}`;
}

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
