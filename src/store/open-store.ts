/** Opens the store that `store.url` names, brings its tables up to date, and gives access to them (SPEC 1, 10). */
import { Kysely } from 'kysely';
import type { AccountStore } from '../domain/accounts/account.ts';
import type { ApiTokenStore } from '../domain/accounts/api-token.ts';
import type { CurtainStore } from '../domain/accounts/curtain.ts';
import type { InvitationStore } from '../domain/accounts/invitation.ts';
import type { LinkStore } from '../domain/accounts/link.ts';
import type { LoginBlockStore } from '../domain/accounts/login-block.ts';
import type { LoginPlaceStore } from '../domain/accounts/notice.ts';
import type { RoleStore } from '../domain/accounts/role-store.ts';
import type { ScreenStore } from '../domain/accounts/screen.ts';
import type { SecondFactorStore } from '../domain/accounts/second-factor.ts';
import type { SessionStore } from '../domain/accounts/session-store.ts';
import type { SignInStore } from '../domain/accounts/sign-in.ts';
import type { SiteStore } from '../domain/accounts/site.ts';
import type { EventRecord } from '../domain/events/event.ts';
import type { BoundedEventSource } from '../domain/events/event-question.ts';
import type { LedgerStore } from '../domain/ledger.ts';
import type { AttemptStore } from '../domain/store/attempt-store.ts';
import type { HeardChanges } from '../domain/store/heard-changes.ts';
import type { SettingStore } from '../domain/stored-settings.ts';
import { createAccountStore } from './accounts/accounts.ts';
import { createCurtainStore } from './accounts/curtain.ts';
import { createInvitationStore } from './accounts/invitations.ts';
import { createLinkStore } from './accounts/links.ts';
import { createLoginBlockStore } from './accounts/login-blocks.ts';
import { createLoginPlaceStore } from './accounts/login-places.ts';
import { createRoleStore } from './accounts/roles.ts';
import { createScreenStore } from './accounts/screens.ts';
import { createSecondFactorStore } from './accounts/second-factor.ts';
import { createSessionStore } from './accounts/sessions.ts';
import { createSettingStore } from './accounts/settings.ts';
import { createSignInStore } from './accounts/sign-ins.ts';
import { createSiteStore } from './accounts/sites.ts';
import { createApiTokenStore } from './accounts/tokens.ts';
import type { MovedEvents } from './engine/dialect.ts';
import type { Engine, OnFault } from './engine/engine.ts';
import { serializedOn } from './engine/serialized.ts';
import { type Tables, tablesWhere } from './engine/tables.ts';
import { STORE_SHAPE } from './events/event-shape.ts';
import { createEventSource, eventsPlace } from './events/events-table.ts';
import { type ForgetEvents, forgetEventsOf, writeEvents } from './events/write-events.ts';
import { assertFinished, identityOf, type StoreIdentity } from './identity.ts';
import { createLedgerStore } from './ledger/ledger.ts';
import { appliedMigrations, assertCurrent, migrate, neededMigration, type TablesUpdate } from './migrate.ts';
import { assertNotLost, isBlank } from './sqlite/lost-file.ts';
import { sqliteEngine } from './sqlite/sqlite.ts';

export interface StoreOptions {
  /** `sqlite:/absolute/path`, or `postgres://…`. */
  readonly url: string;
  /** `server.site`: links and screens are of one site, and records of the ledger say theirs. Default: the only one, which has no name. */
  readonly site?: string | undefined;
  /** PostgreSQL: another address for LISTEN, where `url` is that of a transaction pooler. */
  readonly listenUrl?: string | undefined;
  /** PostgreSQL: seconds after which the server ends a statement. */
  readonly statementSeconds?: number | undefined;
  /** Whether the store is opened beside its writer: changes nothing, not even the tables, so the file must be there. */
  readonly readOnly?: boolean;
  /** The service that asks for it has looked at the tables. A newer replica may have added to them since. */
  readonly isBeside?: boolean;
  /** Whether it is read only for a moment, to see what a start would: no file is made beside a store that nobody has open. */
  readonly isBrief?: boolean;
  /** `postern store copy` fills it: a copy that was interrupted is no fault. */
  readonly isCopyTarget?: boolean;
  /** Called for each statement that failed. */
  readonly onFault?: OnFault;
  /** Called before anything is made where no store is yet, with its name for messages; it may throw to keep it so. */
  readonly onEmpty?: (name: string) => void;
  /** Called when the tables were those of an older version. */
  readonly onUpdated?: (update: TablesUpdate) => void;
  /** Told again and again while events of 0.2.0 are moved into one table. */
  readonly onMoved?: (moved: MovedEvents) => void;
  /** PostgreSQL: told once at each change whether changes of other replicas are heard. */
  readonly onCurrent?: (isCurrent: boolean, fault?: Error) => void;
}

export interface Store {
  readonly db: Kysely<Tables>;
  readonly accounts: AccountStore;
  readonly roles: RoleStore;
  readonly curtain: CurtainStore;
  readonly sites: SiteStore;
  readonly settings: SettingStore;
  readonly sessions: SessionStore;
  readonly apiTokens: ApiTokenStore;
  readonly secondFactor: SecondFactorStore;
  readonly invitations: InvitationStore;
  readonly signIns: SignInStore;
  readonly links: LinkStore;
  readonly screens: ScreenStore;
  readonly loginPlaces: LoginPlaceStore;
  readonly loginBlocks: LoginBlockStore;
  readonly ledger: LedgerStore;
  /** Attempts at a login, as all replicas count them; undefined for a file. */
  readonly attempts: AttemptStore | undefined;
  /**
   * Changes with every change that may change a verdict: accounts, roles, tokens, links, screens and revocations that were read
   * earlier may be cached as long as the text is the same.
   */
  version(): string;
  /** Which rows have changed, as far as this process has heard; undefined for a store that is never out of reach. */
  readonly heard: HeardChanges | undefined;
  /** Unix seconds of the clock of the server that keeps it; undefined for a file. */
  readonly serverTime: (() => Promise<number>) | undefined;
  /** False while changes of other replicas may go unheard. */
  isCurrent(): boolean;
  readonly events: BoundedEventSource;
  /** All or none of them; the same id replaces. */
  writeEvents(events: readonly EventRecord[]): Promise<void>;
  readonly forgetEvents: ForgetEvents;
  /** The store's name in messages: `the store at /config/postern.db`. */
  readonly name: string;
  identity(): Promise<StoreIdentity>;
  /** Throws when it can be told at once, without a question, that the store cannot be used. */
  glance(): void;
  /** Writes something and reads the account tables: rejects with a fault of the store when that fails. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

export async function openStore(options: StoreOptions): Promise<Store> {
  const { readOnly = false, site = '' } = options;
  const engine = await engineOf(options);
  const { dialect, words, version, heard } = engine;
  const db = new Kysely<Tables>({ dialect });
  const close = async (): Promise<void> => {
    await db.destroy();
    await engine.close();
  };
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
  const serialized = serializedOn(db, words);
  return {
    db,
    accounts: createAccountStore(db, serialized),
    roles: createRoleStore(db, serialized),
    curtain: createCurtainStore(db, serialized),
    sites: createSiteStore(db, serialized),
    settings: createSettingStore(db, serialized, site),
    sessions: createSessionStore(db, serialized),
    apiTokens: createApiTokenStore(db, serialized),
    secondFactor: createSecondFactorStore(db, serialized),
    invitations: createInvitationStore(db, serialized),
    signIns: createSignInStore(db, serialized),
    links: createLinkStore(db, serialized, site),
    screens: createScreenStore(db, serialized, site),
    loginPlaces: createLoginPlaceStore(db, serialized),
    loginBlocks: createLoginBlockStore(db),
    ledger: createLedgerStore(db, { isFile: engine.file !== undefined, site }),
    attempts: engine.attempts,
    version,
    heard,
    serverTime: engine.serverTime,
    isCurrent: engine.isCurrent,
    events: createEventSource(eventsPlace(db, STORE_SHAPE, words)),
    writeEvents: (events) => writeEvents(events, db, words),
    forgetEvents: forgetEventsOf(db),
    name: engine.name,
    identity: () => identityOf(db),
    glance: engine.glance,
    probe: () => engine.probe(tablesWhere('isProbed')),
    close,
  };
}

async function engineOf(options: StoreOptions): Promise<Engine> {
  const { url, listenUrl, statementSeconds, readOnly = false, isBrief = false, onFault, onCurrent } = options;
  const told = onFault ? { onFault } : {};
  const timed = statementSeconds === undefined ? {} : { statementTimeout: statementSeconds * 1000 };
  if (/^postgres(?:ql)?:/i.test(url)) {
    // A store on SQLite does not load the driver: sixty files of packages.
    const { postgresEngine } = await import('./postgres/postgres.ts');
    return postgresEngine({
      url,
      listenUrl,
      readOnly,
      isChecked: isBrief,
      ...timed,
      ...told,
      ...(onCurrent && { onCurrent }),
    });
  }
  const path = /^sqlite:(?<path>.+)$/s.exec(url)?.groups?.['path'];
  if (path === undefined) throw new Error('store.url: only "sqlite:<path>" is understood: name a file');
  assertNotLost(path);
  if (isBlank(path)) options.onEmpty?.(`the store at ${path}`);
  return sqliteEngine({ path, readOnly, isBrief, isOurs: true, ...told });
}

const migrationsIn = (path: string): Promise<readonly string[]> => asked({ url: `sqlite:${path}` }, appliedMigrations);

/** The first step of the schema that a start would take; undefined when there is none. Rejects with why it could not be opened. */
export const pendingMigration = (options: StoreOptions): Promise<string | undefined> => asked(options, neededMigration);

/** Asks a store whose tables may be those of another version, and changes nothing. */
async function asked<Answer>(
  options: StoreOptions,
  question: (db: Kysely<Tables>, engine: Engine) => Promise<Answer>,
): Promise<Answer> {
  const engine = await engineOf({ ...options, readOnly: true });
  const db = new Kysely<Tables>({ dialect: engine.dialect });
  try {
    return await question(db, engine);
  } finally {
    await db.destroy();
    await engine.close();
  }
}
