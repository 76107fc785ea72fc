/** A record as it is told: as JSON and NDJSON, or as a line of CSV (SPEC 14). Pure. */
import type { ListedRecord } from '../../domain/ledger.ts';

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
