/** Writes events to PostgreSQL by COPY, a batch in one transaction (SPEC 10). */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from } from 'pg-copy-streams';
import type { EventsTable } from '../engine/tables.ts';
import { EVENT_COLUMNS } from '../events/write-events.ts';
import { withoutNul } from './postgres-text.ts';

const NAMES = EVENT_COLUMNS.join(', ');
/** Writers that replace the same event wait for each other: else both would insert it. */
const WRITERS_LOCK = 0x706f7374; // "post"

/**
 * COPY knows no conflicts, and no unique index of a partitioned table holds the id alone: the rows come into a table of
 * the session first, then rows of the same ids are replaced. `rows` has each id once.
 */
export async function copyEvents(rows: readonly EventsTable[], client: pg.ClientBase): Promise<void> {
  if (rows.length === 0) return;
  await client.query('begin');
  try {
    await client.query(`create temp table if not exists incoming_events (like events) on commit delete rows`);
    await pipeline(Readable.from(lines(rows)), client.query(from(`copy incoming_events (${NAMES}) from stdin`)));
    await client.query('select pg_advisory_xact_lock($1)', [WRITERS_LOCK]);
    await client.query('delete from events using incoming_events as incoming where events.id = incoming.id');
    await client.query(`insert into events (${NAMES}) select ${NAMES} from incoming_events`);
    await client.query('commit');
  } catch (fault) {
    await client.query('rollback').catch(() => {}); // the fault that led here is the one to tell
    throw fault;
  }
}

/** Rows of one piece: a write of each row alone would cost more than the row. */
const ROWS_PER_PIECE = 100;

function* lines(rows: readonly EventsTable[]): Generator<string> {
  for (let at = 0; at < rows.length; at += ROWS_PER_PIECE)
    yield rows
      .slice(at, at + ROWS_PER_PIECE)
      .map(lineOf)
      .join('');
}

const lineOf = (row: EventsTable): string => `${EVENT_COLUMNS.map((column) => fieldOf(row[column])).join('\t')}\n`;

const SPECIAL = /[\\\t\n\r]/g;
const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A value in the text format of COPY. */
const fieldOf = (value: string | number | boolean | null): string =>
  value === null ? '\\N' : withoutNul(String(value)).replace(SPECIAL, (character) => ESCAPED[character] ?? character);
