/** How many events there are by camera or label and slice of time, as the service tells it (GET /api/events/counts). */
import { type Fields, isFields, numberOf, textOf } from '../../shared/forms/fields.ts';

export interface NamedCount {
  /** A camera, or a label. */
  readonly name: string;
  readonly total: number;
  /** One a slice; undefined for a name that is counted among the others. */
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
  readonly by: 'camera' | 'label';
  /** The most frequent first. */
  readonly names: readonly NamedCount[];
  /** All names without counts of their own, one a slice. */
  readonly others: readonly number[];
}

export const NO_COUNTS: Counts = {
  total: 0,
  isAll: true,
  stepSeconds: 0,
  starts: [],
  end: 0,
  by: 'camera',
  names: [],
  others: [],
};

/** Undefined for what has another form. */
export function readCounts(body: unknown): Counts | undefined {
  if (!isFields(body)) return undefined;
  const total = numberOf(body['total']);
  if (total === undefined) return undefined;
  const by = Array.isArray(body['labels']) ? 'label' : 'camera';
  return {
    total,
    isAll: body['complete'] !== false,
    stepSeconds: numberOf(body['seconds']) ?? 0,
    starts: numbersOf(body['starts']),
    end: numberOf(body['end']) ?? 0,
    by,
    names: listOf(body[`${by}s`])
      .filter(isFields)
      .flatMap((record) => readNamed(record, by)),
    others: numbersOf(body['others']),
  };
}

function readNamed(record: Fields, by: Counts['by']): NamedCount[] {
  const [name, total] = [textOf(record[by]), numberOf(record['total'])];
  if (name === undefined || total === undefined) return [];
  return [{ name, total, counts: 'counts' in record ? numbersOf(record['counts']) : undefined }];
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const numbersOf = (value: unknown): readonly number[] => listOf(value).map((one) => numberOf(one) ?? 0);
