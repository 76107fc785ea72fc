/** A step of the chain: moves its head if that is still the one that was read, and writes or deletes rows with it, all or nothing (SPEC 14). */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { inChunks, untyped } from '../../store/engine/rows.ts';
import { type Tables, writeRow } from '../../store/engine/tables.ts';
import type { ChainClosing, ChainHead, LedgerDay, OwnEntry } from './records.ts';

export interface Step {
  readonly from: ChainHead;
  readonly to: ChainHead;
  readonly records: readonly Tables['ledger_records'][];
  /** Spans that are over. */
  readonly over: readonly string[];
  readonly open: readonly OwnEntry[];
  readonly days: readonly LedgerDay[];
  readonly now: number;
  readonly forgotten?: Forgotten | undefined;
}

/** Records of a chain up to one of them. */
export interface Forgotten {
  readonly closing: ChainClosing;
  /** The first and the last id, the first not included. */
  readonly ids: readonly [string, string];
  /** A chain that nothing is left of, and that is not written any more. */
  readonly isWhole: boolean;
}

/** False: another process was faster, and nothing was written. */
export type TakeStep = (step: Step) => Promise<boolean>;

const dayRows = ({ days }: Step): readonly Tables['ledger_days'][] =>
  days
    .map((sum) => {
      const { day, user, kind, camera, viewer } = sum;
      // The id of a person's is as it was before viewers were told apart.
      const id = JSON.stringify([day, user, kind, camera, ...(viewer === '' ? [] : [viewer])]);
      return { ...writeRow('ledger_days', sum), id, hours: 0 };
    })
    // In one order, so that no two processes wait for each other in a circle.
    .sort((one, other) => (one.id < other.id ? -1 : 1));
const openRows = ({ open, now }: Step): readonly Tables['ledger_open'][] =>
  open.map((span) => ({ ...writeRow('ledger_open', span), seen_at: now }));
const closingRow = ({ closing }: Forgotten) => ({ id: `${closing.chain}-${closing.day}`, ...closing });

/** What a row that is there already takes from the new one. */
const RENEWED = sql`from_at = excluded.from_at, to_at = excluded.to_at, watched_from = excluded.watched_from, watched_to = excluded.watched_to, detail = excluded.detail, seen_at = excluded.seen_at`;
const SUMMED = sql`seconds = ledger_days.seconds + excluded.seconds, records = ledger_days.records + excluded.records`;
const CLOSED = sql`seq = excluded.seq, hash = excluded.hash, records = ledger_closings.records + excluded.records`;

/** One statement, and so no lock that a replica could hold: PostgreSQL does it whole, whatever becomes of the process that sent it. */
export const inOneStatement =
  (db: Kysely<Tables>): TakeStep =>
  async (step) => {
    const { from, to, records, over, forgotten } = step;
    const rows = (table: string, values: readonly object[]) =>
      sql`select given.* from moved, json_populate_recordset(null::${sql.table(table)}, ${asJson(values)}::json) as given`;
    const closing = forgotten
      ? sql`, forgotten as (delete from ledger_records using moved where id > ${forgotten.ids[0]} and id <= ${forgotten.ids[1]}), ${
          forgotten.isWhole
            ? sql`ended_chain as (delete from ledger_chains using moved where ledger_chains.chain = ${forgotten.closing.chain}), ended_closings as (delete from ledger_closings using moved where ledger_closings.chain = ${forgotten.closing.chain})`
            : sql`closed as (insert into ledger_closings (id, chain, day, seq, hash, records) select given.id, given.chain, given.day, given.seq, given.hash, given.records from moved, json_populate_recordset(null::ledger_closings, ${asJson([closingRow(forgotten)])}::json) as given on conflict (id) do update set ${CLOSED})`
        }`
      : sql``;
    const { rows: moved } = await sql`with moved as (
      update ledger_chains set seq = ${to.seq}, hash = ${to.hash}
      where ledger_chains.chain = ${from.chain} and ledger_chains.seq = ${from.seq} and ledger_chains.hash = ${from.hash} returning 1
    ), added as (insert into ledger_records ${rows('ledger_records', records)}
    ), over as (delete from ledger_open using moved where id in (select json_array_elements_text(${JSON.stringify(over)}::json))
    ), opened as (insert into ledger_open ${rows('ledger_open', openRows(step))} on conflict (id) do update set ${RENEWED}
    ), summed as (insert into ledger_days ${rows('ledger_days', dayRows(step))} on conflict (id) do update set ${SUMMED}
    )${closing} select 1 from moved`.execute(db);
    return moved.length > 0;
  };

/** Rows as JSON: half of a surrogate pair and NUL are U+FFFD, as where `pg` writes a parameter. */
const asJson = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value,
  );

/** SQLite takes 32,766 values in a statement. */
const ROWS_AT_ONCE = 200;

async function putAll(
  db: Kysely<Tables>,
  table: string,
  rows: readonly object[],
  kept: RawBuilder<unknown>,
): Promise<void> {
  for (const some of inChunks(rows, ROWS_AT_ONCE))
    await sql`${untyped(db).insertInto(table).values(some)} on conflict (id) do update set ${kept}`.execute(db);
}

/** One transaction, for which the other processes wait that write the file. */
export const inTransaction =
  (db: Kysely<Tables>): TakeStep =>
  (step) =>
    db.transaction().execute(async (tables) => {
      const { from, to, records, over, forgotten } = step;
      const { numUpdatedRows } = await tables
        .updateTable('ledger_chains')
        .set({ seq: to.seq, hash: to.hash })
        .where('chain', '=', from.chain)
        .where('seq', '=', from.seq)
        .where('hash', '=', from.hash)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      for (const some of inChunks(records, ROWS_AT_ONCE))
        await tables.insertInto('ledger_records').values(some).execute();
      for (const ids of inChunks(over, ROWS_AT_ONCE))
        await tables.deleteFrom('ledger_open').where('id', 'in', ids).execute();
      await putAll(tables, 'ledger_open', openRows(step), RENEWED);
      await putAll(tables, 'ledger_days', dayRows(step), SUMMED);
      if (!forgotten) return true;
      const { ids, closing, isWhole } = forgotten;
      await tables.deleteFrom('ledger_records').where('id', '>', ids[0]).where('id', '<=', ids[1]).execute();
      if (isWhole)
        for (const table of ['ledger_chains', 'ledger_closings'] as const)
          await tables.deleteFrom(table).where('chain', '=', closing.chain).execute();
      else await putAll(tables, 'ledger_closings', [closingRow(forgotten)], CLOSED);
      return true;
    });
