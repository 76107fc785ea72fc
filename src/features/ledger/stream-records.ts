/** The ledger as NDJSON or CSV, as much as there is: in small pages, between which every other request comes first (SPEC 14). */
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { LedgerCursor, LedgerQuestion, LedgerStore, ListedRecord } from '../../domain/ledger.ts';
import { CSV_HEAD, csvLine, recordJson } from './record-formats.ts';

export interface RecordsRequest {
  readonly question: LedgerQuestion;
  readonly format: 'ndjson' | 'csv';
  /** Undefined: all that there is. */
  readonly limit: number | undefined;
  readonly cursor: LedgerCursor | undefined;
}

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
