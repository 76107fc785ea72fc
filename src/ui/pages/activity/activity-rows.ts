/** Records of the ledger as the page of activity shows them: rows, sums by day, and credentials in words (SPEC 14). Pure. */
import { daysFrom } from '../explore/plot/bars.ts';
import { type Fields, textOf } from '../shared/forms/fields.ts';
import { words } from '../shared/words.ts';

/** What GET /api/ledger answers; moments in Unix seconds. */
export interface ActivityRecord {
  readonly id: string;
  readonly kind: string;
  readonly user?: string | null;
  readonly credential?: string | null;
  readonly address?: string | null;
  readonly camera?: string | null;
  readonly from: number;
  readonly to: number;
  readonly watched_from?: number;
  readonly watched_to?: number;
  /** Absent where there is one site. */
  readonly site?: string;
  readonly detail?: Fields;
  /** Null while a viewing goes on. */
  readonly hash?: string | null;
}

/** A text of the detail. */
export const detailOf = ({ detail }: Pick<ActivityRecord, 'detail'>, name: string): string | undefined =>
  textOf(detail?.[name]);

export interface ActivityRow {
  /** The newest of its records. */
  readonly record: ActivityRecord;
  readonly count: number;
  /** Unix seconds: the first beginning and the last end. */
  readonly from: number;
  readonly to: number;
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
  return { record, count: 1, from, to, duration: to - from, event: detailOf(record, 'event') };
};

const goesOn = (one: ActivityRecord, other: ActivityRecord): boolean =>
  VIEWINGS.includes(one.kind) &&
  (['kind', 'user', 'camera', 'credential', 'site'] as const).every((name) => one[name] === other[name]) &&
  detailOf(one, 'seen') === detailOf(other, 'seen');

const joined = (row: ActivityRow, record: ActivityRecord): ActivityRow => ({
  ...row,
  count: row.count + 1,
  from: record.from,
  duration: row.duration + record.to - record.from,
  event: row.event ?? detailOf(record, 'event'),
});

/** A sum of GET /api/ledger/days. `user`: '' where none is known. */
export interface WatchedDay {
  readonly day: string;
  readonly user: string;
  readonly minutes: number;
}

/** A bar for each day of the range, in the clock of the viewer, stacked by person; the one who watched most first. */
export function bucketDays(watched: readonly WatchedDay[], first: Date, count: number) {
  const days = daysFrom(first, count);
  const people = [...new Set(watched.map(({ user }) => user))].map((name) => {
    const counts = days.map(({ day: key }) =>
      watched.filter(({ user, day }) => user === name && day === key).reduce((sum, { minutes }) => sum + minutes, 0),
    );
    return { name, counts, total: Math.round(counts.reduce((sum, minutes) => sum + minutes, 0)) };
  });
  people.sort((one, other) => other.total - one.total);
  return { starts: days.map(({ start }) => start), people };
}

/** Names by what the ledger calls a credential: `token:<id>`, `link:<id>`, `screen:<id>`. */
export type CredentialNames = ReadonlyMap<string, string>;

interface Named {
  readonly id: string;
  readonly name?: string | null;
}

/** Those of them that have a name. */
export const namesIn = (kind: 'token' | 'link' | 'screen', list: readonly Named[]): (readonly [string, string])[] =>
  list.flatMap(({ id, name }) => (name ? [[`${kind}:${id}`, name] as const] : []));

/** The number of letters of an id that tell two apart. */
const SHOWN_LETTERS = 8;

export function credentialText(credential: string, names: CredentialNames): string {
  const [kind = '', id = ''] = credential.split(':', 2);
  const kinds: Readonly<Record<string, string>> = words.ledger.credentials;
  const name = names.get(credential);
  const what = kinds[kind] ?? kind;
  if (kind === 'oidc') return `${what} ${id}`;
  return name === undefined ? `${what} ${id.slice(0, SHOWN_LETTERS)}`.trim() : words.ledger.named({ what, name });
}
