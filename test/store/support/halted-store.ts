/** Stores of two processes whose writes can be held back: two transactions have both read before either of them writes. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Dialect } from 'kysely';
import pg from 'pg';
import { openingPart } from '../../../src/features/links/openings.ts';
import { createAccountStore } from '../../../src/store/accounts/accounts.ts';
import { createGrantStore } from '../../../src/store/accounts/grants.ts';
import { createRoleStore } from '../../../src/store/accounts/house.ts';
import { createInvitationStore } from '../../../src/store/accounts/invitations.ts';
import '../../../src/features/all.ts';
import { screenCodePart } from '../../../src/features/screens/codes.ts';
import { sessionStoreOf } from '../../../src/store/accounts/logins.ts';
import { createSecondFactorStore } from '../../../src/store/accounts/second-factor.ts';
import { createSignInStore } from '../../../src/store/accounts/sign-ins.ts';
import { type BeginningLogin, databaseOn } from '../../../src/store/engine/engine.ts';
import { lockedOn, Queries } from '../../../src/store/engine/rows.ts';
import { NAMELESS } from '../../../src/store/engine/tables.ts';
import { postgresEngine } from '../../../src/store/postgres/postgres.ts';
import { sqliteEngine } from '../../../src/store/sqlite/sqlite.ts';

const WRITE = /^\s*(?:insert|update|delete)\b/i;
export type Halt = 'write' | 'commit';
const PATH = /^sqlite:(?<path>.*)$/s;

export type HaltedStore = Awaited<ReturnType<typeof openHalted>>;

/** The tables must be there. */
export async function openHalted(url: string) {
  const path = PATH.exec(url)?.groups?.['path'];
  const engine =
    path === undefined
      ? await postgresEngine({ url })
      : sqliteEngine({ path, readOnly: false, isBrief: false, isOurs: true });
  let gate = { at: 'write', reached: Promise.withResolvers<void>(), opened: Promise.withResolvers<void>() };
  gate.opened.resolve();
  const before = async (act: Halt): Promise<void> => {
    if (act !== gate.at) return;
    gate.reached.resolve();
    await gate.opened.promise;
  };
  const { db, close } = databaseOn({ dialect: halting(engine.dialect, before), close: engine.close });
  const locked = lockedOn(db, engine.words);
  const sessionsOf = sessionStoreOf(engine.words);
  const sessions = sessionsOf(db, locked);
  return {
    db,
    close,
    locked,
    accounts: createAccountStore(db, locked),
    roles: createRoleStore(db, locked),
    grants: createGrantStore(new Queries(db), locked, NAMELESS),
    invitations: createInvitationStore(db, locked),
    openings: openingPart(db, locked),
    screenCodes: screenCodePart(db, locked, { here: NAMELESS }),
    secondFactor: createSecondFactorStore(db, locked),
    sessions: {
      ...sessions,
      /** A statement that is a transaction by itself: in another one its commit can be held back, too. */
      beginLogin: (login: BeginningLogin) =>
        engine.words.beginLogin
          ? locked({}, (transaction) => sessionsOf(transaction.kysely, locked).beginLogin(login))
          : sessions.beginLogin(login),
    },
    signIns: createSignInStore(db, locked),
    /** The next write, or commit, waits until `goOn` is called. */
    halt(at: Halt = 'write'): { readonly reached: Promise<void>; readonly goOn: () => void } {
      gate = { at, reached: Promise.withResolvers(), opened: Promise.withResolvers() };
      return { reached: gate.reached.promise, goOn: gate.opened.resolve };
    },
  };
}

/** The engine's own, which calls `before` first. */
function halting(dialect: Dialect, before: (act: Halt) => Promise<void>): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver() {
      const driver = dialect.createDriver();
      const acquire = driver.acquireConnection.bind(driver);
      driver.acquireConnection = async () => {
        const connection = await acquire();
        const execute = connection.executeQuery.bind(connection);
        connection.executeQuery = async (query) => {
          if (WRITE.test(query.sql)) await before('write');
          return execute(query);
        };
        return connection;
      };
      const commit = driver.commitTransaction.bind(driver);
      driver.commitTransaction = async (connection) => {
        await before('commit');
        await commit(connection);
      };
      return driver;
    },
  };
}

/** Turns of the event loop in which a transaction on SQLite reads all that it reads: a statement takes none. */
const TURNS = 100;

/**
 * Runs one act until it would write, or commit; then the other one, until it would do so or waits for a lock of the first. Then
 * the first one goes on, and the other behind it. Gives what both gave.
 */
export async function interleaved<One, Other>(
  url: string,
  [first, one]: readonly [HaltedStore, (store: HaltedStore) => Promise<One>],
  [second, other]: readonly [HaltedStore, (store: HaltedStore) => Promise<Other>],
  at?: Halt,
): Promise<[One, Other]> {
  const [ahead, behind] = [first.halt(at), second.halt(at)];
  const done = one(first);
  await Promise.race([ahead.reached, done]);
  const doneBehind = other(second);
  await orWaiting(url, [behind.reached, doneBehind]);
  ahead.goOn();
  await orWaiting(url, [done.catch(() => {})]); // its outcome is asserted
  behind.goOn();
  return Promise.all([done, doneBehind]);
}

/** Until one of them is settled, or waits for a lock of the other. */
async function orWaiting(url: string, acts: readonly Promise<unknown>[]): Promise<void> {
  const stopped = new AbortController();
  const isWaiting = PATH.test(url) ? turnsPassed() : waitsForLock(url, stopped.signal);
  await Promise.race([...acts, isWaiting]);
  stopped.abort();
  await isWaiting;
}

async function turnsPassed(): Promise<void> {
  for (let turns = 0; turns < TURNS; turns += 1) await turn();
}

const WAITING = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

async function waitsForLock(url: string, stopped: AbortSignal): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  while (!stopped.aborted && (await client.query(WAITING)).rowCount === 0) await turn();
  await client.end();
}
