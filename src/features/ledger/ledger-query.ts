/** The query of `GET /api/ledger`, or every parameter that is wrong with it; and its records as JSON, NDJSON or CSV, in small pages, between which every other request comes first (SPEC 14). */

import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { isSiteName } from '../../config/schema/server-schema.ts';
import { type JsonRecord, parsedJson } from '../../domain/json.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { answer, formed, named, TEXT } from '../../routes/shapes.ts';
import type { LedgerQuestion, LedgerStore } from './ledger-store.ts';
import { LEDGER_KINDS, type LedgerCursor, type LedgerKind, type ListedRecord } from './records.ts';

const FORMATS = ['json', 'ndjson', 'csv'] as const;
type Format = (typeof FORMATS)[number];

const MOST_RECORDS = 1000;
const LONGEST_NAME = 255;
const LATEST = 1e11;

/** The parameters. */
export const QUERY = {
  kind: `One of ${LEDGER_KINDS.join(', ')}; several with commas`,
  user: 'A name',
  camera: 'A camera',
  site: 'A site',
  credential: 'A credential, such as token:<id>',
  after: 'Unix seconds',
  before: 'Unix seconds',
  limit: 'At most 1000',
  cursor: 'From the Link header of the page before',
  format: 'json, ndjson or csv',
};

/** PostgreSQL takes no NUL in a text. */
const GIVEN = z.string().refine((text) => text !== '' && text.length <= LONGEST_NAME && !/\p{Cc}/u.test(text), {
  error: `must have 1 to ${LONGEST_NAME} characters, without control characters`,
});
const number = (least: number, most: number) =>
  z
    .string()
    .transform((text) => (text.trim() === '' ? Number.NaN : Number(text)))
    .refine((read) => read >= least && read <= most, { error: `must be a number from ${least} to ${most}` });

const ASKED = z.strictObject({
  kind: z
    .string()
    .transform((text) => text.split(','))
    .refine((kinds): kinds is LedgerKind[] => kinds.every((kind) => LEDGER_KINDS.some((known) => known === kind)), {
      error: `must be one of ${LEDGER_KINDS.join(', ')}, or several with commas`,
    })
    .optional(),
  user: GIVEN.optional(),
  camera: GIVEN.optional(),
  site: GIVEN.refine(isSiteName, { error: 'must be the name of a site, such as barn' }).optional(),
  credential: GIVEN.optional(),
  after: number(-LATEST, LATEST).optional(),
  before: number(-LATEST, LATEST).optional(),
  limit: number(1, MOST_RECORDS).refine(Number.isInteger, { error: 'must be a whole number' }).optional(),
  cursor: formed(z.string(), readCursor).optional(),
  format: z.enum(FORMATS, { error: `must be one of ${FORMATS.join(', ')}` }),
});

export type LedgerQuery = z.output<typeof ASKED>;

export function readLedgerQuery(given: URLSearchParams, accept: string): Result<LedgerQuery, readonly string[]> {
  const read = ASKED.safeParse({ format: acceptedFormat(accept), ...Object.fromEntries(given) });
  const repeated = [...new Set(given.keys())].filter((name) => given.getAll(name).length > 1);
  const faults = [
    ...repeated.map((name) => `${name}: is given more than once`),
    ...(read.error?.issues ?? []).flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((name) => `${name}: is not known; there are ${Object.keys(QUERY).join(', ')}`)
        : `${String(issue.path[0])}: ${issue.message}`,
    ),
  ];
  return read.success && faults.length === 0 ? ok(read.data) : err(faults);
}

const acceptedFormat = (accept: string): Format => {
  if (/application\/(?:x-)?ndjson/.test(accept)) return 'ndjson';
  return /text\/csv/.test(accept) ? 'csv' : 'json';
};

/** Ids are told as they stand in the store, where others may have written them. */
const CURSOR = /^(?<from>-?\d{1,12}(?:\.\d{1,20})?),(?<id>[^\p{Cc}]{1,300})$/u;

function readCursor(text: string): Result<LedgerCursor, string> {
  const { from, id } = CURSOR.exec(text)?.groups ?? {};
  return from === undefined || id === undefined
    ? err('take it from the Link header of the page before')
    : ok({ from: Number(from), id });
}

export const cursorText = ({ from, id }: LedgerCursor): string => `${from},${id}`;

const MAYBE_TEXT = TEXT.nullable();
const MOMENT = z.number().meta({ description: 'Unix seconds, with a fraction' });
/** The credential of a record's act. */
const CREDENTIAL =
  'Its kind and id, as token:<id> or session:<id> (session alone, of a viewing); proxy, internal; null where none was accepted';
export const RECORD = named(
  'LedgerRecord',
  z.object({
    id: TEXT,
    kind: z.enum(LEDGER_KINDS),
    user: MAYBE_TEXT,
    credential: MAYBE_TEXT.meta({ description: CREDENTIAL }),
    address: MAYBE_TEXT,
    camera: MAYBE_TEXT,
    from: MOMENT,
    to: MOMENT,
    watched_from: MOMENT.optional(),
    watched_to: MOMENT.optional(),
    detail: z.looseObject({}).optional(),
    site: TEXT.optional().meta({ description: 'The site that wrote it, where there are several' }),
    hash: MAYBE_TEXT.meta({ description: 'SHA-256 in hex; null while a viewing goes on' }),
  }),
);
/** Absent: there is nothing to tell. A detail that was changed in the store is shown as it stands. */
export const recordJson = (record: ListedRecord): z.output<typeof RECORD> =>
  answer(RECORD, {
    ...record,
    watchedFrom: record.watchedFrom ?? undefined,
    watchedTo: record.watchedTo ?? undefined,
    detail: record.detail === null ? undefined : ((parsedJson(record.detail) ?? record.detail) as JsonRecord),
  });

// biome-ignore format: a table
const COLUMNS: Readonly<Record<string, (record: ListedRecord) => string | null>> = {
  id: ({ id }) => id, kind: ({ kind }) => kind, user: ({ user }) => user, credential: ({ credential }) => credential,
  address: ({ address }) => address, camera: ({ camera }) => camera, from: ({ from }) => isoTime(from), to: ({ to }) => isoTime(to),
  watched_from: ({ watchedFrom }) => isoTime(watchedFrom), watched_to: ({ watchedTo }) => isoTime(watchedTo),
  detail: ({ detail }) => detail, hash: ({ hash }) => hash, site: ({ site }) => site ?? null,
};

export const CSV_HEAD = `${Object.keys(COLUMNS).join(',')}\r\n`;

/** RFC 4180. Times are in ISO 8601, as spreadsheets read them. */
export const csvLine = (record: ListedRecord): string =>
  `${Object.values(COLUMNS)
    .map((field) => csvField(field(record)))
    .join(',')}\r\n`;

const LATEST_DATE = 8.64e12;

const isoTime = (at: number | null): string =>
  at === null || Math.abs(at) > LATEST_DATE ? '' : new Date(at * 1000).toISOString();

/** A spreadsheet would compute a text that begins like a formula; the name of a user that tried to log in is a stranger's text. */
function csvField(value: string | null): string {
  const text = value ?? '';
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

type RecordsRequest = Pick<LedgerQuery, 'limit' | 'cursor'> & {
  readonly question: LedgerQuestion;
  readonly format: 'ndjson' | 'csv';
};

/** SQLite is read in the main thread: a page of so many takes a few milliseconds. */
const RECORDS_AT_ONCE = 200;

/** The next page is read when the client has taken the one before. */
export const streamRecords = (wanted: RecordsRequest, store: Pick<LedgerStore, 'find'>): Readable =>
  Readable.from(pages(wanted, store));

async function* pages(
  { question, format, limit, cursor }: RecordsRequest,
  store: Pick<LedgerStore, 'find'>,
): AsyncGenerator<string> {
  const line = format === 'csv' ? csvLine : (record: ListedRecord) => `${JSON.stringify(recordJson(record))}\n`;
  if (format === 'csv') yield CSV_HEAD;
  let [left, last] = [limit ?? Number.POSITIVE_INFINITY, cursor];
  while (left > 0) {
    const wanted = Math.min(left, RECORDS_AT_ONCE);
    const found = await store.find(question, wanted, last);
    if (found.length > 0) yield found.map(line).join('');
    if (found.length < wanted) return;
    left -= found.length;
    last = found.at(-1);
    await setImmediate();
  }
}
