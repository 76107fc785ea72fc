/** Opens the store that `store.url` names, brings its tables up to date, and gives access to them, bounded in time where a service asks (SPEC 1, 10). */
import type { Kysely } from 'kysely';
import { withTimeLimit } from '../domain/async.ts';
import type { EventRecord } from '../domain/events/event.ts';
import { findStoreFault, storeFault } from '../domain/store/store-fault.ts';
import { createAccountStore } from './accounts/accounts.ts';
import { createGrantStore } from './accounts/grants.ts';
import { createRoleStore, createSiteStore, settingStoreOf } from './accounts/house.ts';
import { createInvitationStore } from './accounts/invitations.ts';
import { createLoginBlockStore, sessionStoreOf } from './accounts/logins.ts';
import { createSecondFactorStore } from './accounts/second-factor.ts';
import { createSignInStore } from './accounts/sign-ins.ts';
import { databaseOn, type Engine, type StoreOptions } from './engine/engine.ts';
import { type Locked, lockedOn, Queries } from './engine/rows.ts';
import { type Here, isNamed, NAMELESS, type Tables, tablesWhere } from './engine/tables.ts';
import { STORE_SHAPE } from './events/event-shape.ts';
import { createEventSource, eventsPlace } from './events/events-table.ts';
import { forgetEventsOf, writeEvents } from './events/write-events.ts';
import { appliedMigrations, assertCurrent, migrate, migrationsOf } from './migrate.ts';
import { sqliteEngine } from './sqlite/sqlite.ts';
import { assertNotLost, isBlank } from './sqlite/sqlite-faults.ts';

export type Store = Awaited<ReturnType<typeof openStore>>;

export async function openStore(options: StoreOptions) {
  const { readOnly = false, here = NAMELESS } = options;
  const engine = await openEngine(options);
  const { dialect: _, words, ...given } = engine;
  const { db, close } = databaseOn(engine);
  try {
    if (options.onEmpty && (await appliedMigrations(db, engine)).length === 0) options.onEmpty(engine.name);
    const update = options.isBeside
      ? undefined
      : await (readOnly ? assertCurrent(db, engine) : migrate(db, engine, migrationsIn, options.onMoved));
    if (update) options.onUpdated?.(update);
    if (!options.isCopyTarget) await assertFinished(db, engine.name);
  } catch (fault) {
    await close();
    throw fault;
  }
  return {
    ...given,
    db,
    here,
    /** Other services, each with an NVR of its own, may use the store, too. */
    hasOtherNvrs: isNamed(here),
    ...openParts(db, engine, here),
    /** A part of its own over the tables of a feature. */
    part: <Part extends object>(make: MakePart<Part>): Part =>
      make(db, lockedOn(db, words), { here, isFile: engine.file !== undefined }),
    events: createEventSource(eventsPlace(db, STORE_SHAPE, words)),
    /** All or none of them; the same id replaces. */
    writeEvents: (events: readonly EventRecord[]): Promise<void> => writeEvents(events, db, words),
    forgetEvents: forgetEventsOf(db),
    identity: () => readIdentity(db),
    /** Writes something and reads the account tables: rejects with a fault of the store when that fails. */
    probe: (): Promise<void> => engine.probe(tablesWhere(({ isProbed }) => isProbed).map(([name]) => name)),
    close,
  };
}

/** Where a part is. `isFile`: the store is a file of this machine. */
export interface PlaceOfPart {
  readonly here: Here;
  readonly isFile: boolean;
}
/** Makes a part of the store over tables of its own; all that it has is calls. */
export type MakePart<Part extends object> = (
  db: Kysely<Tables>,
  locked: Locked,
  place: PlaceOfPart,
) => Part & Calls<Part>;

/** The parts whose calls are bounded by a time, each over tables of its own. */
function openParts(db: Kysely<Tables>, { words }: Engine, here: Here) {
  const locked = lockedOn(db, words);
  return {
    accounts: createAccountStore(db, locked),
    roles: createRoleStore(db, locked),
    sites: createSiteStore(db, locked),
    settings: settingStoreOf(here)(db, locked),
    sessions: sessionStoreOf(words)(db, locked),
    grants: createGrantStore(new Queries(db), locked, here),
    secondFactor: createSecondFactorStore(db, locked),
    invitations: createInvitationStore(db, locked),
    signIns: createSignInStore(db, locked),
    loginBlocks: createLoginBlockStore(db, locked),
  };
}

async function openEngine(options: StoreOptions): Promise<Engine> {
  const { url, readOnly = false, isBrief = false, onFault } = options;
  if (/^postgres(?:ql)?:/i.test(url)) {
    // A store on SQLite does not load the driver: sixty files of packages.
    const { postgresEngine } = await import('./postgres/postgres.ts');
    return postgresEngine(options);
  }
  const path = /^sqlite:(?<path>.+)$/s.exec(url)?.groups?.['path'];
  if (path === undefined) throw new Error('store.url: only "sqlite:<path>" is understood: name a file');
  assertNotLost(path);
  if (isBlank(path)) options.onEmpty?.(`the store at ${path}`);
  return sqliteEngine({ path, readOnly, isBrief, isOurs: true, ...(onFault && { onFault }) });
}

const migrationsIn = (path: string): Promise<readonly string[]> => asked({ url: `sqlite:${path}` }, appliedMigrations);

/** The first step of the schema that a start would take; undefined when there is none. Rejects with why it could not be opened. */
export const pendingMigration = (options: StoreOptions): Promise<string | undefined> =>
  asked(options, async (db, engine) => (await migrationsOf(db, engine)).next);

/** Asks a store whose tables may be those of another version, and changes nothing. */
async function asked<Answer>(
  options: StoreOptions,
  question: (db: Kysely<Tables>, engine: Engine) => Promise<Answer>,
): Promise<Answer> {
  const engine = await openEngine({ ...options, readOnly: true });
  const { db, close } = databaseOn(engine);
  try {
    return await question(db, engine);
  } finally {
    await close();
  }
}

/** Network, start and stop of the server, full of connections. A wrong password or database is none of them: an operator must mend it. */
const AWAY = /^(?:08|53|57|E[A-Z_]+$)/;
/** `pg` names these by their text alone. */
const AWAY_IN_WORDS = /timeout|terminated/i;

/** Why it cannot be reached now; undefined when it answers, and for what waiting does not mend: the start says that. */
export async function unreachableFault(url: string): Promise<Error | undefined> {
  try {
    const store = await openStore({ url, readOnly: true });
    await store.close();
    return undefined;
  } catch (fault) {
    if (!(fault instanceof Error) || findStoreFault(fault) !== 'unreachable') return undefined;
    const { cause } = fault;
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    return (code === '' ? AWAY_IN_WORDS.test(fault.message) : AWAY.test(code)) ? fault : undefined;
  }
}

type Act = (...given: never[]) => Promise<unknown>;
/** Anything but an object of calls does not compile: it must be named in `boundCalls`. */
type Calls<Part> = Part extends ((...given: never[]) => unknown) | string | number | boolean | undefined
  ? never
  : { readonly [Name in keyof Part]: Part[Name] extends Act ? Part[Name] : never };

/** Longer than any question or change of accounts takes; shorter than a browser or a balancer waits. */
const CALL_MILLISECONDS = 4000;

/**
 * The store with answers that come within seconds or not at all: a server that is frozen must not hold requests (SPEC 10). Bounded
 * is every part whose calls are not named here: accounts and all that belongs to them. The server itself ends
 * questions about events. A change that was given up may yet be made by the server: the caller is told 503, which promises
 * neither.
 */
export function boundCalls(store: Store): Store {
  const { db, file, copyTo, version, heard, isCurrent, name, glance, close, here, ...asked } = store;
  const { hasOtherNvrs, events, writeEvents, forgetEvents, part, ...bound } = asked;
  const { attempts, serverTime, identity, probe, ...parts } = bound;
  return {
    ...store,
    ...boundedParts(parts),
    part: (make) => bounded(part(make)),
    attempts: attempts && bounded(attempts),
    serverTime: serverTime && boundedCall(serverTime),
    identity: boundedCall(identity),
    probe: boundedCall(probe),
  };
}

const boundedParts = <Parts extends { readonly [Name in keyof Parts]: Calls<Parts[Name]> }>(parts: Parts): Parts =>
  Object.fromEntries(Object.entries<object>(parts).map(([name, part]) => [name, bounded(part)])) as Parts;

const bounded = <Part extends object>(part: Part): Part =>
  Object.fromEntries(Object.entries(part).map(([name, act]) => [name, boundedCall(act as Act)])) as Part;

const boundedCall =
  <Given extends unknown[], Result>(act: (...given: Given) => Promise<Result>) =>
  (...given: Given): Promise<Result> =>
    withTimeLimit(act(...given), CALL_MILLISECONDS, () => {
      throw storeFault('unreachable', `PostgreSQL gave no answer within ${CALL_MILLISECONDS} ms`);
    });

async function readId(db: Kysely<Tables>): Promise<string> {
  const identity = await new Queries(db).find('store_identity', {});
  if (!identity) throw new Error('the table store_identity of the store is empty: restore a backup');
  return identity.id;
}

/** `isEmpty`: it holds no account and no record, as a new store in the place of a lost one. */
async function readIdentity(db: Kysely<Tables>) {
  let isEmpty = true;
  for (const [table] of tablesWhere(({ isKept }) => isKept)) isEmpty &&= !(await new Queries(db).has(table, {}));
  return { id: await readId(db), isEmpty };
}

/** The text before the id of a store that `postern store copy` is filling. */
const UNFINISHED = 'unfinished copy ';

/** Marks a store that is not to be put into service, or that may be again. */
export async function setUnfinished(db: Kysely<Tables>, isUnfinished: boolean): Promise<void> {
  const id = (await readId(db)).replace(UNFINISHED, '');
  await new Queries(db).update('store_identity', {}, { id: isUnfinished ? `${UNFINISHED}${id}` : id });
}

/** Throws a fault of the store with the next step. `name` is the store's, for messages. */
async function assertFinished(db: Kysely<Tables>, name: string): Promise<void> {
  if (!(await readId(db)).startsWith(UNFINISHED)) return;
  const message = `${name} holds half of a copy: "postern store copy" was interrupted. Run it again with --continue, or with --replace to begin anew`;
  throw storeFault('missing', message);
}
