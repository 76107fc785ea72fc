/** The recorded events, 6,000 over 26 months, and the NVR's own database that holds them. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';

const dataFile = (name: string): Buffer => readFileSync(new URL(`../data/${name}`, import.meta.url));

/** A line of JSON each, as `/api/events` lists them; one of them has NaN. */
export const recordedEvents = (): Buffer => gunzipSync(dataFile('events.ndjson.gz'));
export const recordedLines = (): string[] => recordedEvents().toString('utf8').trim().split('\n');
/** The same, in chunks of the size that a file has. */
export const recordedStream = (): Readable => Readable.from(chunksOf(recordedEvents()));

const CHUNK = 64 * 1024;
function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += CHUNK) yield bytes.subarray(from, from + CHUNK);
}

/** A row of the NVR's table: what is no text or number is kept as JSON, in ASCII; `data` as it stands in the line, NaN included. */
export function eventRow(line: string): Readonly<Record<string, string | number | null>> {
  const record: Record<string, unknown> = JSON.parse(line.replaceAll(/\bNaN\b/g, 'null'));
  const row: Record<string, string | number | null> = {};
  for (const [name, value] of Object.entries(record)) {
    if (typeof value === 'boolean') row[name] = Number(value);
    else if (Array.isArray(value)) row[name] = ascii(JSON.stringify(value));
    else if (value === null || typeof value === 'string' || typeof value === 'number') row[name] = value;
  }
  row['data'] = ascii(/"data":\s*(?<data>\{.*\})\}$/s.exec(line)?.groups?.['data'] ?? '{}');
  return row;
}

const ascii = (json: string): string =>
  json.replaceAll(/[\u0080-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

let made: string | undefined;

/** The path of the database, with users, recordings and reviews. It is made once for a process: copy it before you change it. */
export function nvrDatabaseFile(): string {
  if (made !== undefined) return made;
  const directory = mkdtempSync(join(tmpdir(), 'postern-nvr-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'nvr.db');
  const file = new DatabaseSync(path);
  file.exec(String(dataFile('nvr.sql')));
  const rows = recordedLines().map((line) => ({ ...eventRow(line), ratio: 1 }));
  const columns = Object.keys(rows[0] ?? {});
  const insert = file.prepare(`INSERT INTO event (${columns}) VALUES (${columns.map(() => '?')})`);
  file.exec('BEGIN');
  for (const row of rows) insert.run(...columns.map((column) => (row as ReturnType<typeof eventRow>)[column] ?? null));
  // What a list of events does not show.
  file.exec(String(dataFile('nvr-events.sql')));
  file.exec('COMMIT');
  file.close();
  made = path;
  return path;
}
