/** The NVR's own SQLite file as a source of events, read beside the running NVR and never written (SPEC 1, `nvr-database`). */
import { Kysely, sql } from 'kysely';
import { type EventSource, foldSubLabels } from '../domain/event-question.ts';
import { nvrShape } from './event-shape.ts';
import { createEventSource } from './events-table.ts';
import { sqliteEngine } from './sqlite.ts';
import { sqliteWords } from './sqlite-words.ts';
import type { Tables } from './tables.ts';

export interface NvrDatabase {
  readonly events: EventSource;
  close(): Promise<void>;
}

/** Older files lack columns of newer ones, so the table is asked what it has. */
export async function openNvrDatabase(path: string): Promise<NvrDatabase> {
  const functions = { fold_sub_labels: foldSubLabels };
  const { dialect } = sqliteEngine({ path, readOnly: true, isOurs: false, functions });
  const db = new Kysely<Tables>({ dialect });
  const columns = await columnsOf(db, path);
  const events = createEventSource({ db, shape: nvrShape(columns), words: sqliteWords });
  return { events, close: () => db.destroy() };
}

const NEEDED = ['id', 'label', 'camera', 'start_time', 'zones', 'has_clip', 'has_snapshot'];

async function columnsOf(db: Kysely<Tables>, path: string): Promise<ReadonlySet<string>> {
  try {
    const { rows } = await sql<{ name: string }>`select name from pragma_table_info('event')`.execute(db);
    const columns = new Set(rows.map(({ name }) => name));
    const missing = NEEDED.filter((name) => !columns.has(name));
    if (missing.length > 0) throw new Error(`it has no table "event" with the columns ${missing.join(', ')}`);
    return columns;
  } catch (cause) {
    await db.destroy();
    const reason = cause instanceof Error ? cause.message : cause;
    throw new Error(`cannot read ${path} as the database of an NVR: ${reason}`, { cause });
  }
}
