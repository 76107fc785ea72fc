/** Records as they are told, as JSON, NDJSON or CSV; all that there is in small pages, between which every other request comes first (SPEC 14). */
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { LedgerStore } from './ledger-store.ts';
import type { LedgerQuery } from './read-question.ts';
import type { LedgerQuestion, ListedRecord } from './records.ts';

/** Absent: there is nothing to tell. `hash` is null while a viewing goes on. */
export const recordJson = (record: ListedRecord) => ({
  id: record.id,
  kind: record.kind,
  user: record.user,
  credential: record.credential,
  address: record.address,
  camera: record.camera,
  from: record.from,
  to: record.to,
  ...(record.watchedFrom === null ? {} : { watched_from: record.watchedFrom }),
  ...(record.watchedTo === null ? {} : { watched_to: record.watchedTo }),
  ...(record.detail === null ? {} : { detail: parsed(record.detail) }),
  ...(record.site === undefined ? {} : { site: record.site }),
  hash: record.hash,
});

/** A text that was changed in the store is shown as it stands. */
function parsed(detail: string): unknown {
  try {
    return JSON.parse(detail);
  } catch {
    return detail;
  }
}

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

const LATEST = 8.64e12;

const isoTime = (at: number | null): string =>
  at === null || Math.abs(at) > LATEST ? '' : new Date(at * 1000).toISOString();

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

export type Downloads = ReturnType<typeof createDownloads>;

/** One at a time for each person, who would otherwise have all of them be slow. */
export function createDownloads() {
  const running = new Set<string>();
  return {
    /** Undefined: the person has one under way already. What is begun holds until the stream is closed. */
    begin(person: string, stream: () => Readable): Readable | undefined {
      if (running.has(person)) return undefined;
      running.add(person);
      return stream().once('close', () => running.delete(person));
    },
  };
}
