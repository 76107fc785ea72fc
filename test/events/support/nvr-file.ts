/** An NVR's own SQLite file, as its migrations leave it: the table, its indices, its ways of writing. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type NvrDatabase, openNvrDatabase } from '../../../src/store/nvr-database.ts';
import { makeScratch } from '../../store/support/scratch-store.ts';
import { eventRow } from '../../support/recorded.ts';

const SCHEMA = `
  CREATE TABLE "event" (
    "id" VARCHAR(30) NOT NULL PRIMARY KEY, "label" VARCHAR(20) NOT NULL, "camera" VARCHAR(20) NOT NULL,
    "start_time" DATETIME NOT NULL, "end_time" DATETIME, "top_score" REAL, "false_positive" INTEGER, "zones" JSON NOT NULL,
    "thumbnail" TEXT, "has_clip" INTEGER NOT NULL, "has_snapshot" INTEGER NOT NULL, "region" JSON, "box" JSON, "area" INTEGER,
    "retain_indefinitely" INTEGER NOT NULL, "sub_label" VARCHAR(100), "ratio" REAL, "plus_id" VARCHAR(30), "score" REAL,
    "model_hash" VARCHAR(32), "detector_type" VARCHAR(32), "model_type" VARCHAR(32), "data" JSON NOT NULL);
  CREATE INDEX "event_label" ON "event" ("label");
  CREATE INDEX "event_camera" ON "event" ("camera");
  CREATE INDEX "event_start_time_end_time" ON "event" ("start_time" DESC, "end_time" DESC);
  CREATE INDEX "event_label_start_time" ON "event" ("label", "start_time" DESC);`;

/** Of a file from before `sub_label`, `plus_id` and the model's columns came. */
export const OLD_SCHEMA = `
  CREATE TABLE event (id VARCHAR(30) NOT NULL PRIMARY KEY, label VARCHAR(20) NOT NULL, camera VARCHAR(20) NOT NULL,
    start_time DATETIME NOT NULL, end_time DATETIME, zones JSON NOT NULL, has_clip INTEGER NOT NULL,
    has_snapshot INTEGER NOT NULL);`;

export interface NvrFile extends NvrDatabase {
  readonly path: string;
  /** As the NVR would: what was there is gone. */
  replaceAll(lines: readonly string[]): void;
}

export async function makeNvrDatabase(lines: readonly string[], schema = SCHEMA): Promise<NvrFile> {
  const scratch = makeScratch();
  const path = join(scratch.directory, 'nvr.db');
  const file = new DatabaseSync(path);
  file.exec(`PRAGMA journal_mode = WAL; ${schema}`);
  const columns = file
    .prepare("SELECT name FROM pragma_table_info('event')")
    .all()
    .map(({ name }) => String(name));
  const insert = file.prepare(
    `INSERT INTO event (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  const replaceAll = (all: readonly string[]): void => {
    file.exec('BEGIN; DELETE FROM event');
    for (const row of all.map(eventRow)) insert.run(...columns.map((column) => row[column] ?? null));
    file.exec('COMMIT');
  };
  replaceAll(lines);
  const nvr = await openNvrDatabase(path);
  const close = async () => {
    await nvr.close();
    file.close();
    scratch.remove();
  };
  return { ...nvr, path, replaceAll, close };
}
