/** Rows of the table of activity: viewings of one person and camera that follow each other are one row (SPEC 14). Pure. */
import { textOf } from '../shared/forms/fields.ts';
import type { ActivityRecord } from './read-activity.ts';

export interface ActivityRow {
  /** The newest of its records. */
  readonly record: ActivityRecord;
  readonly count: number;
  /** Unix seconds: the first beginning and the last end. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Seconds in all. */
  readonly duration: number;
  /** The id of the event that was seen last, where one is known. */
  readonly event: string | undefined;
}

const VIEWINGS: readonly string[] = ['live', 'history', 'export'];

/** `records`: the newest first. */
export function rowsOf(records: readonly ActivityRecord[]): readonly ActivityRow[] {
  const rows: ActivityRow[] = [];
  for (const record of records) {
    const last = rows.at(-1);
    if (last && goesOn(last.record, record)) rows[rows.length - 1] = joined(last, record);
    else rows.push(rowOf(record));
  }
  return rows;
}

const rowOf = (record: ActivityRecord): ActivityRow => {
  const { from, to } = record;
  return { record, count: 1, from, to, duration: durationOf(record), event: textOf(record.detail['event']) };
};

const durationOf = ({ from, to }: ActivityRecord): number => (from === undefined || to === undefined ? 0 : to - from);

const goesOn = (one: ActivityRecord, other: ActivityRecord): boolean =>
  VIEWINGS.includes(one.kind) &&
  (['kind', 'user', 'camera', 'credential', 'site'] as const).every((name) => one[name] === other[name]) &&
  one.detail['seen'] === other.detail['seen'];

const joined = (row: ActivityRow, record: ActivityRecord): ActivityRow => ({
  record: row.record,
  count: row.count + 1,
  from: record.from ?? row.from,
  to: row.to ?? record.to,
  duration: row.duration + durationOf(record),
  event: row.event ?? textOf(record.detail['event']),
});
