/** A part of the store: its questions are asked of the database as it is, and each of its changes is a transaction on accounts. */
import type { Kysely, Transaction } from 'kysely';
import type { Dialect } from './dialect.ts';
import type { Queries } from './rows.ts';
import type { Tables } from './tables.ts';

/** Transactions on accounts, one after another whatever the engine: what one reads, no other changes before it commits. */
export type Serialized = <Result>(act: (transaction: Transaction<Tables>) => Promise<Result>) => Promise<Result>;

export const serializedOn =
  (db: Kysely<Tables>, { lockAccounts }: Dialect): Serialized =>
  (act) =>
    db.transaction().execute(async (transaction) => {
      await lockAccounts(transaction);
      return act(transaction);
    });

type Acts = Readonly<Record<string, (db: Queries, ...given: never[]) => Promise<unknown>>>;
/** The acts without the database. */
type Bound<All extends Acts> = {
  readonly [Name in keyof All]: All[Name] extends (db: Queries, ...given: infer Given) => infer Result
    ? (...given: Given) => Result
    : never;
};

const bound = <All extends Acts>(acts: All, ask: <Result>(act: (db: Queries) => Promise<Result>) => Promise<Result>) =>
  Object.fromEntries(
    Object.entries(acts).map(([name, act]) => [name, (...given: never[]) => ask((db) => act(db, ...given))]),
  ) as Bound<All>;

/** Faults (disk, network) are thrown; "absent" and "taken" are answers. */
export const storePart =
  <Questions extends Acts, Changes extends Acts>(questions: Questions, changes: Changes) =>
  (db: Kysely<Tables>, serialized: Serialized): Bound<Questions> & Bound<Changes> => ({
    ...bound(questions, (act) => act(db)),
    ...bound(changes, serialized),
  });
