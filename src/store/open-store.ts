/** Opens the store that `store.url` names, brings its tables up to date, and gives the doors to them (SPEC 1, 10). */
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { AccountStore } from '../domain/account.ts';
import type { ApiTokenStore } from '../domain/api-token.ts';
import type { EventRecord } from '../domain/event.ts';
import type { BoundedEventSource } from '../domain/event-question.ts';
import type { RoleStore } from '../domain/role-store.ts';
import type { SessionStore } from '../domain/session-store.ts';
import { createRoleStore } from './accounts-roles.ts';
import { createSessionStore } from './accounts-sessions.ts';
import { createAccountStore } from './accounts-tables.ts';
import { createApiTokenStore } from './accounts-tokens.ts';
import type { Dialect } from './dialect.ts';
import type { Engine } from './engine.ts';
import { STORE_SHAPE } from './event-shape.ts';
import { createEventSource, eventsPlace } from './events-table.ts';
import { migrationsFor } from './migrations/all-migrations.ts';
import { postgresEngine } from './postgres.ts';
import { serializedOn } from './serialized.ts';
import { sqliteEngine } from './sqlite.ts';
import type { Tables } from './tables.ts';
import { writeEvents } from './write-events.ts';

export interface StoreOptions {
  /** `sqlite:/absolute/path`, or `postgres://…`. */
  readonly url: string;
  /** PostgreSQL: another address for LISTEN, where `url` is that of a transaction pooler. */
  readonly listenUrl?: string | undefined;
  /** For a reader beside the writer: changes nothing, not even the tables, so the file must be there. */
  readonly readOnly?: boolean;
}

export interface Store {
  readonly db: Kysely<Tables>;
  readonly accounts: AccountStore;
  readonly roles: RoleStore;
  readonly sessions: SessionStore;
  readonly apiTokens: ApiTokenStore;
  /** Another text after any change: what was read before it may be remembered for as long as it stays the same. */
  version(): string;
  readonly events: BoundedEventSource;
  /** All or none of them; the same id replaces. */
  writeEvents(events: readonly EventRecord[]): Promise<void>;
  /** Before rows of events that begin at these times are written in another way than by `writeEvents`. */
  prepareForEvents(times: readonly number[]): Promise<void>;
  close(): Promise<void>;
}

export async function openStore(options: StoreOptions): Promise<Store> {
  const { readOnly = false } = options;
  const engine = await engineOf(options);
  const { dialect, words, version } = engine;
  const db = new Kysely<Tables>({ dialect });
  if (!readOnly) await migrate(db, words);
  const serialized = serializedOn(db, words);
  return {
    db,
    accounts: createAccountStore(db, serialized),
    roles: createRoleStore(db, serialized),
    sessions: createSessionStore(db, serialized),
    apiTokens: createApiTokenStore(db, serialized),
    version,
    events: createEventSource(eventsPlace(db, STORE_SHAPE, words)),
    writeEvents: (events) => writeEvents(events, db, words.events),
    prepareForEvents: (times) => words.events.prepareFor(times, db),
    close: async () => {
      await engine.close();
      await db.destroy();
    },
  };
}

async function engineOf({ url, listenUrl, readOnly = false }: StoreOptions): Promise<Engine> {
  if (/^postgres(?:ql)?:/i.test(url)) return postgresEngine({ url, listenUrl, readOnly });
  const path = /^sqlite:(?<path>.+)$/s.exec(url)?.groups?.['path'];
  if (path === undefined) throw new Error('store.url: only "sqlite:<path>" is understood: name a file');
  return sqliteEngine({ path, readOnly, isOurs: true });
}

async function migrate(db: Kysely<Tables>, words: Dialect): Promise<void> {
  const { error } = await new Migrator({ db, provider: migrationsFor(words) }).migrateToLatest();
  if (!error) return;
  await db.destroy();
  throw new Error('cannot bring the tables of the store up to date: is it the store of a newer version?', {
    cause: error,
  });
}
