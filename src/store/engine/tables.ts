/**
 * The tables, one row each: columns and their kinds, the key, what is copied, and whose rows they hold. The row types of the query
 * builder and the codecs between rows and records follow from it. Times are Unix seconds. A feature has the rows of its tables in
 * its folder, and gives them by `features/all.ts`.
 */
import type { Generated, Simplify } from 'kysely';
import type { User } from '../../domain/accounts/account.ts';
import type { BlockKind } from '../../domain/accounts/logins.ts';
import { decidedByName } from '../../domain/bounded.ts';
import type { Role, UserName } from '../../domain/names.ts';
import type { WrittenLimits } from '../../domain/rights.ts';

/** `flag`: 0 or 1; `json`: text; `boolean`: SQLite gives 0 and 1 back. */
interface Column {
  readonly kind: 'text' | 'number' | 'flag' | 'json' | 'boolean';
  readonly isNullable?: true;
  /** The table gives a value where none is written. */
  readonly hasDefault?: true;
  /** The name in a record, where it is not that of the column in camel case; `false`: it is in no record. */
  readonly field?: string | false;
  /** Null or 0 is absent in a record. */
  readonly isOptional?: true;
  /** A flag that is 0 where its field is true. */
  readonly isNegated?: true;
  /** Never there: its type is that of the value in a record. */
  readonly value?: unknown;
}

export interface Table {
  /** Copies go in its order. */
  readonly key: string;
  readonly columns: Readonly<Record<string, Column>>;
  /** Whether `postern store copy` copies it. Default: it does. */
  readonly isCopied?: false;
  /** `false`: no write of it changes a verdict. A list: an update of such columns alone does not. */
  readonly changesVerdicts?: false | readonly string[];
  /** What changes no verdict tells what was seen, and decides nothing: no answer waits until it is on the disk. */
  readonly isNoted?: true;
  /** Every request depends on it: `/readyz` reads it. */
  readonly isProbed?: true;
  /** A store with a row of it is in use. */
  readonly isKept?: true;
  /** Whether all rows of a user go with the account. */
  readonly isOfUser?: true;
  /** The column of the time at which a row is over; it is deleted then, or so much later. */
  readonly ends?: { readonly by: string; readonly keptSeconds?: number };
  /** Its rows are what grants of a kind have of their own, and go with the grant. */
  readonly ofGrants?: GrantRules;
}

export interface GrantRules {
  readonly kind: GrantKind;
  /** The order of lists: columns of `grants`, with a hyphen from the greatest down. */
  readonly order: readonly string[];
  /** They count at the site alone where they were made. */
  readonly isLocal?: true;
  /** One that was revoked stays in lists. */
  readonly staysInLists?: true;
  /** One for each user. */
  readonly isAlone?: true;
  /** Absent: one that has ended stays. */
  readonly keptSeconds?: number;
}

type Kept<Kind extends Column['kind'], Value> = { readonly kind: Kind; readonly value?: Value };
export const text = <Value extends string>(): Kept<'text', Value> => ({ kind: 'text' });
export const json = <Value>(): Kept<'json', Value> => ({ kind: 'json' });
export const TEXT = text<string>();
export const NUMBER: Kept<'number', number> = { kind: 'number' };
export const FLAG: Kept<'flag', boolean> = { kind: 'flag' };
/** A flag that is true in a record, or absent. */
export const MARK: Kept<'flag', true> & { readonly isOptional: true } = { kind: 'flag', isOptional: true };
const BOOLEAN: Kept<'boolean', unknown> = { kind: 'boolean' };
const NAMES = json<readonly string[]>();
export const maybe = <Kind extends Column>(column: Kind) => ({ ...column, isNullable: true }) as const;
export const optional = <Kind extends Column>(column: Kind) => ({ ...column, isOptional: true }) as const;
export const defaulted = <Kind extends Column>(column: Kind) => ({ ...column, hasDefault: true }) as const;
export const named = <const Name extends string | false, Kind extends Column>(field: Name, column: Kind) =>
  ({ ...column, field }) as const;
export const hidden = <Kind extends Column>(column: Kind) => named(false, column);
export const USER = named('user', text<UserName>());
/** The site that a store is opened for, as its rows say it; empty without `server.site`. */
export type Here = Readonly<Record<'site', string>>;
export const NAMELESS: Here = { site: '' };
export const isNamed = ({ site }: Here): boolean => site !== '';
export const SITE = hidden(defaulted(TEXT));
/** The column of rows that count at one site alone. */
export const LOCAL = { site: SITE } as const;

/** Clocks of replicas differ, and a clock may be set: a revocation is kept for longer than a token can hold. */
export const LATE_SECONDS = 3600;
/** A device that was away for longer is new again. */
const PLACE_SECONDS = 365 * 86_400;

// biome-ignore format: a table
const CORE_TABLES = {
  users: { key: 'name', isProbed: true, isKept: true, columns: {
    name: TEXT, role: TEXT, password_hash: TEXT, password_changed_at: maybe(NUMBER), created_at: NUMBER,
    has_factor: defaulted(MARK),
    /** New with every gain of a first factor and loss of the last one. */
    factor_epoch: optional(maybe(TEXT)), password_is_generated: defaulted(MARK),
    /** Null: the role was given with the account. */
    role_since: optional(maybe(NUMBER)), valid_from: optional(maybe(NUMBER)), valid_until: optional(maybe(NUMBER)),
    /** Null: Postern's own. Else the provider that gives it. */
    role_source: optional(maybe(TEXT)),
    /** What the provider's groups give beside `role`. */
    other_roles: optional(maybe(json<readonly Role[]>())),
    /** 0: made without a password that a person knows. */
    has_password: named('hasNoPassword', { ...defaulted(MARK), isNegated: true }),
  } },
  custom_roles: { key: 'role', isProbed: true, isKept: true, columns: {
    /** Entries of `cameras` may hold `*`; the limits are as they were written. */
    role: text<Role>(), cameras: NAMES, limits: optional(maybe(json<WrittenLimits>())),
  } },
  /** What a site tells the others. `site` is empty for a service without `server.site`. */
  sites: { key: 'site', columns: {
    /** Null while its NVR was never asked. */
    site: TEXT, cameras: optional(maybe(NAMES)),
    /** Those of its configuration file, and the digest of its signing secret. */
    roles: json<readonly Role[]>(), key_id: TEXT, changed_at: NUMBER,
  } },
  settings: { key: 'id', columns: { id: TEXT, value: TEXT } },
  /** What is a kind's own stands in tables that name it in `ofGrants`. */
  grants: { key: 'id', isProbed: true, isKept: true, isNoted: true, changesVerdicts: ['last_used_at', 'last_used_from'], columns: {
    /** Names the grant in lists and logs; it opens nothing. */
    id: TEXT, kind: hidden(TEXT),
    /** SHA-256 of the secret, which itself is kept nowhere. Null: it was not fetched yet. */
    secret_hash: maybe(TEXT), name: maybe(TEXT),
    /** Whose rights it has; of an invitation, whose password it sets. And when that account was made: the grant dies with it. Null: there is no account here, as of a proxy's user. */
    user_name: USER, user_created_at: maybe(NUMBER),
    /** The role that a token was made with, or the role of a link's maker at that time; and a narrowing to these cameras. */
    role: maybe(text<Role>()), cameras: maybe(NAMES), created_at: NUMBER,
    /** Null: it does not end by itself. Links stay in lists after their revocation; other grants are deleted. */
    expires_at: maybe(NUMBER), revoked_at: maybe(NUMBER), last_used_at: maybe(NUMBER), last_used_from: maybe(TEXT), ...LOCAL,
  } },
  token_rights: { key: 'id', ofGrants: { kind: 'api-token', order: ['created_at', 'id'] }, columns: {
    /** Whether it opens the routes for users, roles, tokens and sessions, which otherwise need a person. */
    id: TEXT, manages_accounts: FLAG,
    /** `POST /api/login` takes it in the place of the password. Or it was made for the right of a feature, and does nothing else. */
    logs_in: MARK, made_for: named('right', optional(maybe(TEXT))),
  } },
  invitation_terms: { key: 'id', ofGrants: { kind: 'invitation', isAlone: true, keptSeconds: 0, order: ['user_name'] }, columns: {
    /** The admin who made it, by name, or one of `MAKERS_WITHOUT_ACCOUNT`. */
    id: TEXT, made_by: TEXT,
  } },
  /** Sealed secrets: no store and no backup tells a code. */
  totp_secrets: { key: 'user_name', isOfUser: true, columns: {
    /** Null until a first code has confirmed it; and the time step of the latest code that was accepted. */
    user_name: hidden(TEXT), secret: optional(maybe(TEXT)), last_step: optional(maybe(NUMBER)),
    /** The secret that waits for its first code. */
    pending: optional(maybe(TEXT)), pending_until: optional(maybe(NUMBER)),
  } },
  recovery_codes: { key: 'code_hash', isOfUser: true, columns: { code_hash: TEXT, user_name: USER } },
  passkeys: { key: 'id', isOfUser: true, columns: {
    /** Base64url: the credential id, the id by which authenticators know the user, which tells nothing of the name, and COSE. */
    id: TEXT, user_name: USER, user_handle: TEXT, public_key: TEXT, counter: NUMBER, transports: NAMES,
    /** Whether it may be synchronised between devices, and whether it is. */
    is_backup_eligible: FLAG, is_backed_up: FLAG, name: TEXT, created_at: NUMBER, last_used_at: maybe(NUMBER),
  } },
  sign_ins: { key: 'id', changesVerdicts: false, columns: {
    /** The issuer, a blank and the subject: these two name the person, and nothing else does. `provider`: its name in the configuration. */
    id: hidden(TEXT), issuer: TEXT, subject: TEXT, provider: TEXT, user_name: USER, connected_at: NUMBER, last_used_at: NUMBER,
  } },
  /** Guests whose accounts are gone. No user name: the person is forgotten, but for what keeps the account from coming back without an end. */
  closed_sign_ins: { key: 'id', changesVerdicts: false, ends: { by: 'known_until' }, columns: {
    id: hidden(TEXT), subject: TEXT, provider: TEXT, known_until: NUMBER,
  } },
  /** Sessions that began by a provider. `session_id`: the `jti` of their tokens; `sid`: what the provider calls its own session. */
  oidc_sessions: { key: 'session_id', changesVerdicts: false, ends: { by: 'expires_at' }, columns: {
    session_id: TEXT, issuer: TEXT, subject: TEXT, sid: optional(maybe(TEXT)), expires_at: NUMBER,
  } },
  /** Devices and networks of logins, as digests. */
  known_clients: { key: 'id', isOfUser: true, changesVerdicts: false, ends: { by: 'last_seen', keptSeconds: PLACE_SECONDS }, columns: {
    id: TEXT, user_name: USER, last_seen: NUMBER,
    /** What the person calls the device. */
    name: optional(maybe(TEXT)),
  } },
  /** A copy limits no client. */
  login_blocks: { key: 'id', isCopied: false, changesVerdicts: false, columns: {
    /** A digest of what is limited: the address, the network, the account, or the id of the link. The latest name that was tried stands last. */
    id: TEXT, kind: text<BlockKind>(), subject: TEXT, names: NAMES, since: NUMBER, until: NUMBER,
    /** The window that all replicas share; null where one process counts in its own memory. */
    shared_window: named('window', maybe(TEXT)),
    is_open: hidden(FLAG), lifted_at: hidden(maybe(NUMBER)),
  } },
  revoked_tokens: { key: 'token_id', isProbed: true, ends: { by: 'expires_at', keptSeconds: LATE_SECONDS }, columns: {
    token_id: TEXT, expires_at: NUMBER,
  } },
  seen_sessions: { key: 'id', isProbed: true, isOfUser: true, changesVerdicts: false, isNoted: true, ends: { by: 'expires_at' }, columns: {
    /** The `jti` of its tokens; the client as last seen, its `User-Agent` cut short, empty when there was none. */
    id: TEXT, user_name: USER, address: TEXT, agent: TEXT, since: NUMBER, last_seen: NUMBER,
    /** The end of that one of its tokens that lives longest, and what the key is called that they are signed with. */
    expires_at: NUMBER, signed_with: named('keyId', TEXT),
  } },
  events: { key: 'id', isKept: true, changesVerdicts: false, columns: {
    /** The order is that of a response. */
    id: TEXT, label: TEXT, sub_label: maybe(TEXT), camera: TEXT, start_time: NUMBER, end_time: maybe(NUMBER), false_positive: maybe(BOOLEAN),
    zones: json(), thumbnail: maybe(TEXT), has_clip: BOOLEAN, has_snapshot: BOOLEAN, retain_indefinitely: BOOLEAN,
    plus_id: maybe(TEXT), model_hash: maybe(TEXT), detector_type: maybe(TEXT), model_type: maybe(TEXT), data: json(),
    /** These are for searching only. */
    score: hidden(maybe(NUMBER)), speed: hidden(maybe(NUMBER)), plate: hidden(maybe(TEXT)), sub_labels_folded: hidden(maybe(TEXT)),
  } },
  /** Counted by triggers of the target itself. Days since 1 January 1970. */
  event_writes: { key: 'day', isCopied: false, changesVerdicts: false, columns: { day: NUMBER, writes: NUMBER } },
  /** One row, of the store itself. */
  store_identity: { key: 'id', isCopied: false, columns: { id: TEXT } },
} as const satisfies Readonly<Record<string, Table>>;

/** The tables of the features; each adds its own here (`declare module`). */
// biome-ignore lint/suspicious/noEmptyInterface: features declare its members
export interface FeatureTables {}
type Register = typeof CORE_TABLES & FeatureTables;

export type TableName = keyof Register;
/** Every table. A feature that is left out keeps its rows in a store: they are copied, and go with their user. */
export const TABLES = { ...CORE_TABLES } as unknown as Register;

let quiet: RegExp | undefined;
let noted: RegExp | undefined;

/** Adds the tables of features, before a store is opened. */
export function giveTables(rows: Readonly<Record<string, Table>>): void {
  Object.assign(TABLES, rows);
  quiet = undefined;
  noted = undefined;
}

/** The names and rows of the tables for which it holds. */
export const tablesWhere = (holds: (table: Table) => unknown): readonly (readonly [TableName, Table])[] =>
  (Object.entries(TABLES) as [TableName, Table][]).filter(([, table]) => holds(table));

type ColumnsOf<Name extends TableName> = Register[Name]['columns'];
type Stored<Kind extends Column> =
  | (Kind['kind'] extends 'boolean' ? boolean | number : Kind['kind'] extends 'number' | 'flag' ? number : string)
  | (Kind extends { isNullable: true } ? null : never);
type RowOf<Columns> = {
  -readonly [Name in keyof Columns]: Columns[Name] extends Column
    ? Columns[Name] extends { hasDefault: true }
      ? Generated<Stored<Columns[Name]>>
      : Stored<Columns[Name]>
    : never;
};

/** The tables as the query builder sees them. */
export type Tables = { [Name in TableName]: RowOf<ColumnsOf<Name>> };

type Camel<Text> = Text extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Text;
type FieldOf<Name, Kind> = Kind extends { field: infer Field } ? Field & string : Camel<Name>;
/** The columns by their names in a record. */
type Fields<Columns> = { [Name in keyof Columns as FieldOf<Name, Columns[Name]>]: Columns[Name] };
type Optional<All> = { [Name in keyof All]: All[Name] extends { isOptional: true } ? Name : never }[keyof All];
type Value<Kind, Null> =
  | (Kind extends { value?: infer Held } ? Held : never)
  | (Kind extends { isNullable: true } ? Null : never);
type Made<All, Null, NullOfOptional> = Simplify<
  { readonly [Name in Exclude<keyof All, Optional<All>>]: Value<All[Name], Null> } & {
    readonly [Name in Optional<All>]?: Value<All[Name], NullOfOptional>;
  }
>;
type FieldsOf<Name extends TableName> = Fields<ColumnsOf<Name>>;
/** A record as it may be given. */
export type Given<Name extends TableName> = Made<FieldsOf<Name>, null | undefined, null | undefined>;

/** What columns do not tell of their records. Features add that of their tables. */
export interface Records {
  readonly users: User;
}
/** A record of the table as it is read. */
export type RecordOf<Name extends TableName> = Name extends keyof Records
  ? Records[Name]
  : Made<FieldsOf<Name>, null, never>;

/** `tokenId`: the API token by which it was made: the grant dies with it too. */
export type Granted = RecordOf<'grants'> & { readonly tokenId?: string | null };
export type ApiToken = Granted &
  RecordOf<'token_rights'> & { readonly secretHash: string; readonly name: string; readonly role: Role };
/** A link, good once, by which a person sets the own password. */
export type Invitation = Granted &
  RecordOf<'invitation_terms'> & {
    readonly secretHash: string;
    readonly userCreatedAt: number;
    readonly expiresAt: number;
  };

/** The kinds of the core; features add theirs here (`declare module`). */
export interface Grants {
  readonly 'api-token': ApiToken;
  readonly invitation: Invitation;
}
export type GrantKind = keyof Grants;

export type StoredRole = RecordOf<'custom_roles'>;
export type SiteRecord = RecordOf<'sites'>;
export type PasskeyRecord = RecordOf<'passkeys'>;
export type SignIn = RecordOf<'sign_ins'>;
export type LoginBlock = RecordOf<'login_blocks'>;
export type SeenSession = RecordOf<'seen_sessions'>;

type Written<Columns> = {
  -readonly [Name in keyof Columns as Columns[Name] extends { field: false }
    ? never
    : Name]: Columns[Name] extends Column ? Stored<Columns[Name]> : never;
};

const camel = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The columns that are in records. */
const makeCodecs = (columns: Table['columns']) =>
  Object.entries(columns).flatMap(([column, { kind, field = camel(column), isOptional = false, isNegated }]) =>
    field === false ? [] : [{ column, field, kind, isOptional, on: isNegated ? 0 : 1 }],
  );

const codecs = decidedByName((name) => makeCodecs(TABLES[name as TableName].columns));

/** A row with the booleans that SQLite gives as 0 and 1. */
export function withBooleans<Row extends object>(table: TableName, row: Row): Row {
  const values = { ...row } as Record<string, unknown>;
  const { columns }: Table = TABLES[table];
  for (const name in values)
    if (columns[name]?.kind === 'boolean' && values[name] !== null) values[name] = Boolean(values[name]);
  return values as Row;
}

/** The record of a row. A flag that is `isOptional` is true or absent. */
export function readRecord<Name extends TableName>(table: Name, row: object): RecordOf<Name> {
  const record: Record<string, unknown> = {};
  const values = row as Readonly<Record<string, unknown>>;
  for (const { column, field, kind, isOptional, on } of codecs(table)) {
    const value = values[column];
    if (isOptional && (value === null || (kind === 'flag' && value !== on))) continue;
    if (kind === 'flag') record[field] = value === on;
    else record[field] = kind === 'json' && value !== null ? JSON.parse(String(value)) : value;
  }
  return record as unknown as RecordOf<Name>;
}

/** The row of a record, without the columns that are in no record. */
export function writeRow<Name extends TableName>(table: Name, record: Given<Name>): Written<ColumnsOf<Name>> {
  const row: Record<string, unknown> = {};
  const values = record as Readonly<Record<string, unknown>>;
  for (const { column, field, kind, on } of codecs(table)) {
    const value = values[field] ?? null;
    if (kind === 'flag') row[column] = value ? on : 1 - on;
    else row[column] = kind === 'json' && value !== null ? JSON.stringify(value) : value;
  }
  return row as Written<ColumnsOf<Name>>;
}

const quietWrites = ([name, { changesVerdicts }]: readonly [string, Table]): readonly string[] => {
  if (changesVerdicts === undefined) return [];
  if (changesVerdicts === false) return [`(?:with moved as \\(\\s*)?(?:insert into|update|delete from) "?${name}\\b`];
  // A value is a parameter, or the column with one added or taken away.
  const change = `"(?:${changesVerdicts.join('|')})" = (?:"\\w+" [+-] )?(?:\\?|\\$\\d+)`;
  return [`update "${name}" set ${change}(?:, ${change})*(?: where |$)`];
};

const beginnings = (holds: (table: Table) => unknown): RegExp =>
  new RegExp(`^(?:${tablesWhere(holds).flatMap(quietWrites).join('|')})`);

/**
 * Whether accounts, roles and tokens that are remembered must be read again after the statement: whatever changes a row counts,
 * but what `TABLES` excepts, which is written all the time. A statement that begins with `with` is taken for a write, unless it moves a row of a quiet table.
 */
export function mayChangeVerdict(statement: string): boolean {
  quiet ??= beginnings(() => true);
  return !/^\s*select\b/i.test(statement) && !quiet.test(statement);
}

/** Whether the statement writes only what was seen: last uses, and sessions. */
export function isNoted(statement: string): boolean {
  noted ??= beginnings(({ isNoted }) => isNoted);
  return noted.test(statement);
}
