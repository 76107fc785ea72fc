/** Statements that follow from the columns of a table, and the parts of the store, which are made of them. */
import { type ExpressionBuilder, type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import type { User } from '../../domain/accounts/account.ts';
import { ADMIN, type UserName } from '../../domain/names.ts';
import type { Dialect } from './engine.ts';
import { type Given, type RecordOf, readRecord, TABLES, type TableName, type Tables, writeRow } from './tables.ts';

type Row<Name extends TableName> = Selectable<Tables[Name]>;
type Comparison = '<' | '<=' | '>' | '>=' | '!=' | 'not like';
type Among = 'in' | 'not in';
/** A value, null, one of a list, or a comparison: `{ '!=': null }` is a value. Undefined tests nothing: only questions take it. */
type Test<Value> =
  | Value
  | readonly NonNullable<Value>[]
  | ({ readonly [By in Comparison]?: Value } & { readonly [By in Among]?: readonly NonNullable<Value>[] });
/** What all of the columns must fulfil. */
export type Where<Name extends TableName> = { readonly [Column in keyof Row<Name>]?: Test<Row<Name>[Column]> };
type Asked<Name extends TableName> = { readonly [Column in keyof Where<Name>]: Where<Name>[Column] | undefined };
/** A column, or one with a hyphen before it: from the greatest down. */
type Order<Name extends TableName> = readonly ((keyof Row<Name> & string) | `-${keyof Row<Name> & string}`)[];
/** `more`: columns that are in no record. */
type Insertion<Name extends TableName> = readonly [
  table: Name,
  record: Given<Name>,
  more?: Partial<Insertable<Tables[Name]>>,
];

/** The statements of one table, on the store or in a transaction on it. `kysely`: for what these cannot say. */
export class Queries {
  readonly kysely: Kysely<Tables>;
  constructor(kysely: Kysely<Tables>) {
    this.kysely = kysely;
  }

  /** The row with the columns that are in no record. */
  async findRow<Name extends TableName>(table: Name, where: Where<Name>): Promise<Row<Name> | undefined> {
    return (await this.selecting(table).where(fulfils(where)).executeTakeFirst()) as Row<Name> | undefined;
  }

  async find<Name extends TableName>(table: Name, where: Where<Name>): Promise<RecordOf<Name> | undefined> {
    const row = await this.findRow(table, where);
    return row && readRecord(table, row);
  }

  async list<Name extends TableName>(
    table: Name,
    where: Asked<Name>,
    order: Order<Name>,
    limit?: number,
  ): Promise<readonly RecordOf<Name>[]> {
    const tests = Object.entries(where).filter(([, test]) => test !== undefined);
    let rows = this.selecting(table).where(fulfils(Object.fromEntries(tests)));
    for (const by of order) rows = by.startsWith('-') ? rows.orderBy(by.slice(1), 'desc') : rows.orderBy(by);
    return (await (limit === undefined ? rows : rows.limit(limit)).execute()).map((row) => readRecord(table, row));
  }

  async has<Name extends TableName>(table: Name, where: Where<Name>): Promise<boolean> {
    const one = untyped(this.kysely).selectFrom<string>(table).select(sql`1`.as('one'));
    return (await one.where(fulfils(where)).limit(1).execute()).length > 0;
  }

  async count<Name extends TableName>(table: Name, where: Where<Name>): Promise<number> {
    const counting = untyped(this.kysely).selectFrom<string>(table).select(sql<number>`count(*)`.as('rows'));
    return Number((await counting.where(fulfils(where)).executeTakeFirstOrThrow()).rows);
  }

  async insert<Name extends TableName>(...given: Insertion<Name>): Promise<void> {
    await this.inserting(...given).insertion.execute();
  }

  /** False: a row of that key is there, and stays. */
  async insertNew<Name extends TableName>(...given: Insertion<Name>): Promise<boolean> {
    const { insertion, key } = this.inserting(...given);
    const once = insertion.onConflict((conflict) => conflict.column(key).doNothing());
    return Boolean((await once.executeTakeFirst()).numInsertedOrUpdatedRows);
  }

  /** The record takes the place of that of the same key. */
  async put<Name extends TableName>(...given: Insertion<Name>): Promise<void> {
    const { insertion, key, latest } = this.inserting(...given);
    await insertion.onConflict((conflict) => conflict.column(key).doUpdateSet(latest)).execute();
  }

  /** Gives the number of rows that fulfil `where`. */
  async update<Name extends TableName>(table: Name, where: Where<Name>, columns: Partial<Row<Name>>): Promise<number> {
    const update = untyped(this.kysely).updateTable<string>(table).set(columns).where(fulfils(where));
    return Number((await update.executeTakeFirstOrThrow()).numUpdatedRows);
  }

  /** The same, and gives the rows as they are then. */
  async change<Name extends TableName>(table: Name, where: Where<Name>, columns: Partial<Row<Name>>) {
    const update = untyped(this.kysely).updateTable<string>(table).set(columns).where(fulfils(where));
    return (await update.returningAll().execute()) as readonly Row<Name>[];
  }

  /** Gives the number of rows that are gone. */
  async delete<Name extends TableName>(table: Name, where: Where<Name>): Promise<number> {
    const removal = untyped(this.kysely).deleteFrom<string>(table).where(fulfils(where));
    return Number((await removal.executeTakeFirstOrThrow()).numDeletedRows);
  }

  /** Deletes rows, and gives them. */
  async take<Name extends TableName>(table: Name, where: Where<Name>): Promise<readonly Row<Name>[]> {
    const removal = untyped(this.kysely).deleteFrom<string>(table).where(fulfils(where));
    return (await removal.returningAll().execute()) as readonly Row<Name>[];
  }

  /** The rows stay as they are until the transaction ends. */
  lock(table: TableName, where: object, { lockedRows }: Dialect): Promise<object[]> {
    const rows = this.selecting(table).where(fulfils(where)).orderBy(TABLES[table].key);
    return rows.modifyEnd(lockedRows).execute();
  }

  private selecting(table: TableName) {
    return untyped(this.kysely).selectFrom<string>(table).selectAll();
  }

  private inserting<Name extends TableName>(...[table, record, more]: Insertion<Name>) {
    const row: Record<string, unknown> = { ...writeRow(table, record), ...more };
    const { key } = TABLES[table];
    const { [key]: _, ...latest } = row;
    return { insertion: untyped(this.kysely).insertInto<string>(table).values(row), key, latest };
  }
}

/** Tables are named at run time here: what goes in and out has the types of the methods above. */
type AnyTables = Record<string, Record<string, unknown>>;
export const untyped = (db: Kysely<Tables>): Kysely<AnyTables> => db as unknown as Kysely<AnyTables>;

/** The condition that all tests of columns are met. */
export const fulfils = (where: object) => (build: ExpressionBuilder<AnyTables, string>) =>
  build.and(Object.entries(where).flatMap(([column, test]) => tested(column, test).map((one) => build(...one))));

type Tested = [column: string, operator: Among | 'is' | 'is not' | '=' | Comparison, value: unknown];

function tested(column: string, test: unknown): Tested[] {
  // A statement without the test would meet all rows.
  if (test === undefined) throw new Error(`the column ${column} is compared with nothing`);
  if (test === null) return [[column, 'is', null]];
  if (Array.isArray(test)) return [[column, 'in', test]];
  if (typeof test !== 'object') return [[column, '=', test]];
  return Object.entries(test).map(([by, value]) =>
    value === null ? [column, 'is not', null] : [column, by as Tested[1], value],
  );
}

/** A statement has room for so many values only. */
export function inChunks<Item>(items: readonly Item[], most: number): Item[][] {
  const parts: Item[][] = [];
  for (let at = 0; at < items.length; at += most) parts.push(items.slice(at, at + most));
  return parts;
}

/** What a transaction locks before it reads what it decides by, in this order. */
export interface Lock {
  /** A name for what has no row yet, or is a rule over many. */
  readonly key?: string;
  /** All admins, in order of name: where the last one may go. */
  readonly admins?: true;
  /** Whose rows are changed: no other transaction changes them meanwhile, and no row is added for a user who is being deleted. */
  readonly person?: UserName;
  /** The id of a grant. */
  readonly grant?: string;
}

/**
 * A transaction on accounts. People never wait for one another: each locks rows of its own (SPEC 10). `person`: as locked; undefined
 * where there is no such user. A lock may be read first.
 */
export type Locked = <Result>(
  lock: Lock | ((db: Queries) => Promise<Lock>),
  act: (db: Queries, person: User | undefined) => Promise<Result>,
) => Promise<Result>;

/** The server ends one of two transactions that wait for each other. */
const DEADLOCK = '40P01';

/** Does it again where the server has ended it: nothing of it was written. */
export async function evenDeadlocked<Result>(act: () => Promise<Result>, tries = 3): Promise<Result> {
  try {
    return await act();
  } catch (fault) {
    if (tries === 1 || !(fault instanceof Error && 'code' in fault && fault.code === DEADLOCK)) throw fault;
    return evenDeadlocked(act, tries - 1);
  }
}

export const lockedOn =
  (kysely: Kysely<Tables>, words: Dialect): Locked =>
  (lock, act) =>
    evenDeadlocked(() =>
      kysely.transaction().execute(async (transaction) => {
        const db = new Queries(transaction);
        const wanted = typeof lock === 'function' ? await lock(db) : lock;
        return act(db, await takeLocks(wanted, db, words));
      }),
    );

async function takeLocks({ key, admins, person, grant }: Lock, db: Queries, words: Dialect): Promise<User | undefined> {
  if (key !== undefined) await words.lockKey?.(key, db.kysely);
  if (admins) await db.lock('users', { role: ADMIN }, words);
  const [user] = person === undefined ? [] : await db.lock('users', { name: person }, words);
  if (grant !== undefined) await db.lock('grants', { id: grant }, words);
  return user && readRecord('users', user);
}

type Acts<First> = Readonly<Record<string, (first: First, ...given: never[]) => Promise<unknown>>>;
/** The acts without what they work on. */
type BoundActs<All extends Acts<never>> = {
  readonly [Name in keyof All]: All[Name] extends (first: never, ...given: infer Given) => infer Result
    ? (...given: Given) => Result
    : never;
};

const bound = <First, All extends Acts<First>>(acts: All, first: First) =>
  Object.fromEntries(
    Object.entries(acts).map(([name, act]) => [name, (...given: never[]) => act(first, ...given)]),
  ) as BoundActs<All>;

/** Faults (disk, network) are thrown; "absent" and "taken" are answers. */
export const storePart =
  <Questions extends Acts<Queries>, Changes extends Acts<Locked>>(questions: Questions, changes: Changes) =>
  (kysely: Kysely<Tables>, locked: Locked): BoundActs<Questions> & BoundActs<Changes> => ({
    ...bound(questions, new Queries(kysely)),
    ...bound(changes, locked),
  });
