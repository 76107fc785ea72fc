/** An event record as the pages show it (interface 2.4), read from whatever the answer holds, and what is told of it beside its picture. */
import { isRecord, type JsonRecord } from '../../../../domain/json.ts';
import { spaced, toLocalInput } from '../spelling.ts';
import { readMoment, readNumber, readText, readTexts } from '../untrusted.ts';
import { cameraName, formatScore, formatSecond, formatTenths, words } from '../words.ts';

/** A record without id or start time is no event: it is left out. */
export const readEvents = (body: unknown): EventView[] =>
  Array.isArray(body) ? body.map(readEvent).filter((event) => event !== undefined) : [];

export function readEvent(record: unknown) {
  if (!isRecord(record)) return undefined;
  const id = readText(record['id']);
  const startTime = readMoment(record['start_time']);
  if (id === undefined || startTime === undefined) return undefined;
  return {
    id,
    /** Unix seconds. */
    startTime,
    /** Undefined while the event is in progress. */
    endTime: readMoment(record['end_time']),
    camera: readText(record['camera']) ?? words.explore.unknownCamera,
    label: readText(record['label']) ?? words.explore.unknownLabel,
    subLabel: readText(record['sub_label']),
    zones: readTexts(record['zones']),
    /** 0 to 1. */
    score: readScore(record),
    /** A `data:` URL; undefined when the record holds no picture that can be shown. */
    picture: pictureUrl(readText(record['thumbnail'])),
    /** The picture is kept in a file instead: it can be asked for by id. */
    isPictureInFile: record['thumbnail'] === null && (record['has_snapshot'] === true || record['has_clip'] === true),
    record,
  };
}
export type EventView = NonNullable<ReturnType<typeof readEvent>>;

function readScore(record: JsonRecord): number | undefined {
  const inner = innerOf(record);
  const score = readNumber(inner['score']) ?? readNumber(inner['top_score']) ?? readNumber(record['top_score']);
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

/** Undefined, or '', where the record does not hold it. */
export type EventFact = readonly [name: string, value: string | undefined];

const yesOrNo = (value: unknown): string | undefined =>
  value === true ? words.ui.common.yes : value === false ? words.ui.common.no : undefined;

const innerOf = ({ data }: JsonRecord): JsonRecord => (isRecord(data) ? data : {});

/** What is told of an event beside its picture: every field of the record, and what people look for in `data`. */
export function factsForPeople(event: EventView): readonly EventFact[] {
  const inner = innerOf(event.record);
  const speed = readNumber(inner['average_estimated_speed']);
  const text = words.explore.details;
  // biome-ignore format: a table
  return [
    [text.camera,         cameraName(event.camera)],
    [text.subLabel,       event.subLabel],
    [text.score,          event.score === undefined ? undefined : formatScore(event.score)],
    [text.plate,          readText(inner['recognized_license_plate'])],
    [text.speed,          speed === undefined ? undefined : formatTenths(speed)],
    [text.description,    readText(inner['description'])],
    [text.zones,          event.zones.map(spaced).join(', ')],
    [text.started,        formatSecond(event.startTime)],
    [text.ended,          event.endTime === undefined ? undefined : formatSecond(event.endTime)],
  ];
}

/** What helps when something is wrong. */
export function technicalFacts({ id, record }: EventView): readonly EventFact[] {
  const text = words.explore.details;
  // biome-ignore format: a table
  return [
    [text.clip,           yesOrNo(record['has_clip'])],
    [text.snapshot,       yesOrNo(record['has_snapshot'])],
    [text.kept,           yesOrNo(record['retain_indefinitely'])],
    [text.falsePositive,  yesOrNo(record['false_positive'])],
    [text.submitted,      readText(record['plus_id'])],
    [text.detector,       readText(record['detector_type'])],
    [text.model,          readText(record['model_type'])],
    [text.modelHash,      readText(record['model_hash'])],
    [text.id,             id],
  ];
}

/** `front-door_2026-11-26_14-05`, in the time of the browser. */
export function fileName({ camera, startTime }: Pick<EventView, 'camera' | 'startTime'>): string {
  const name = cameraName(camera)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-');
  return `${name}_${toLocalInput(startTime).replace('T', '_').replace(':', '-')}`;
}
