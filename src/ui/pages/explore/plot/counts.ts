/** How many events there are by camera and slice of time, as the service tells it (GET /api/events/counts). */
import { type Fields, isFields, numberOf, textOf } from '../../shared/forms/fields.ts';

export interface CameraCount {
  readonly camera: string;
  readonly total: number;
  /** One a slice; undefined for a camera that is counted among the others. */
  readonly counts: readonly number[] | undefined;
}

export interface Counts {
  readonly total: number;
  /** False when there are older events that were not counted. */
  readonly isAll: boolean;
  readonly stepSeconds: number;
  /** Unix seconds, one a slice, without gaps. */
  readonly starts: readonly number[];
  /** Unix seconds: where the last slice ends. */
  readonly end: number;
  /** The most frequent first. */
  readonly cameras: readonly CameraCount[];
  /** All cameras without counts of their own, one a slice. */
  readonly others: readonly number[];
}

export const NO_COUNTS: Counts = { total: 0, isAll: true, stepSeconds: 0, starts: [], end: 0, cameras: [], others: [] };

/** Undefined for what has another form. */
export function readCounts(body: unknown): Counts | undefined {
  if (!isFields(body)) return undefined;
  const total = numberOf(body['total']);
  if (total === undefined) return undefined;
  return {
    total,
    isAll: body['complete'] !== false,
    stepSeconds: numberOf(body['seconds']) ?? 0,
    starts: numbersOf(body['starts']),
    end: numberOf(body['end']) ?? 0,
    cameras: listOf(body['cameras']).filter(isFields).flatMap(readCamera),
    others: numbersOf(body['others']),
  };
}

function readCamera(record: Fields): CameraCount[] {
  const [camera, total] = [textOf(record['camera']), numberOf(record['total'])];
  if (camera === undefined || total === undefined) return [];
  return [{ camera, total, counts: 'counts' in record ? numbersOf(record['counts']) : undefined }];
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const numbersOf = (value: unknown): readonly number[] => listOf(value).map((one) => numberOf(one) ?? 0);
