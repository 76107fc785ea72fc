/** Migration 29: the tables of a new store, and the way of a store of 0.2.0 to them (SPEC 1, 10). */
import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { createEvents, type Dialect, runAll } from '../engine/engine.ts';

/** The steps of 0.2.0, for which the baseline stands: a store that has them all is one of 0.2.0. */
export const STEPS_OF_0_2_0: readonly string[] = [
  ...['001-accounts', '002-events', '003-roles-sessions-tokens', '004-event-writes', '005-session-keys'],
  ...['006-sorts-with-ids', '007-change-notices', '008-account-managing-tokens', '009-second-factor'],
  ...['010-account-notices', '011-links', '012-guests-and-limits', '013-ledger', '014-ledger-notices'],
  ...['015-ledger-deletions', '016-store-identity', '017-row-notices', '018-zones-by-camera'],
  ...['019-no-unusual-viewing', '020-login-attempts', '021-notices-in-ledger', '022-sign-ins', '023-identity-keys'],
  ...['024-tokens-that-log-in', '025-login-blocks', '026-curtain', '027-screens', '028-sites'],
];

/** Secrets are sealed; codes, tokens and PINs are digests. What lists hold is JSON; numbers that are no times are 0 or 1, or count. */
const TABLES = `
create table users (name text primary key not null, role text not null, password_hash text not null,
  password_changed_at double precision, created_at double precision not null, has_factor integer not null default 0,
  password_is_generated integer not null default 0, factor_epoch text, role_since double precision,
  valid_from double precision, valid_until double precision, role_source text, other_roles text,
  has_password integer not null default 1);
create table revoked_tokens (token_id text primary key not null, expires_at double precision not null);
create index revoked_tokens_expires_at on revoked_tokens (expires_at);
create table custom_roles (role text primary key not null, cameras text not null, limits text);
create table seen_sessions (id text primary key not null, user_name text not null, address text not null,
  agent text not null, since double precision not null, last_seen double precision not null,
  expires_at double precision not null, signed_with text not null default '');
create index seen_sessions_user_name on seen_sessions (user_name);
create index seen_sessions_expires_at on seen_sessions (expires_at);
create table api_tokens (id text primary key not null, secret_hash text not null, name text not null,
  user_name text not null, user_created_at double precision, role text not null, cameras text,
  created_at double precision not null, expires_at double precision, last_used_at double precision,
  last_used_from text, manages_accounts integer not null default 0, logs_in integer not null default 0,
  is_for_curtain integer not null default 0);
create index api_tokens_user_name on api_tokens (user_name);
create table totp_secrets (user_name text primary key not null, secret text, last_step double precision,
  pending text, pending_until double precision);
create table recovery_codes (code_hash text primary key not null, user_name text not null);
create index recovery_codes_user_name on recovery_codes (user_name);
create table passkeys (id text primary key not null, user_name text not null, user_handle text not null,
  public_key text not null, counter double precision not null, transports text not null,
  is_backup_eligible integer not null, is_backed_up integer not null, name text not null,
  created_at double precision not null, last_used_at double precision);
create index passkeys_user_name on passkeys (user_name);
create table invitations (token_hash text primary key not null, user_name text not null,
  user_created_at double precision not null, made_by text not null, created_at double precision not null,
  expires_at double precision not null, used_at double precision);
create index invitations_user_name on invitations (user_name);
create table known_clients (id text primary key not null, user_name text not null,
  last_seen double precision not null);
create index known_clients_user_name on known_clients (user_name);
create table sign_ins (id text primary key not null, issuer text not null, subject text not null,
  provider text not null, user_name text not null, connected_at double precision not null,
  last_used_at double precision not null,
  constraint sign_ins_user_provider unique (user_name, provider));
create table oidc_sessions (session_id text primary key not null, issuer text not null, subject text not null,
  sid text, expires_at double precision not null);
create index oidc_sessions_subject on oidc_sessions (issuer, subject);
create table login_blocks (id text primary key not null, kind text not null, subject text not null,
  names text not null, since double precision not null, until double precision not null, shared_window text,
  is_open integer not null, lifted_at double precision);
create table curtain (camera text primary key not null, until double precision, drawn_by text not null,
  drawn_at double precision not null);
create table sites (site text primary key not null, cameras text, roles text not null, key_id text not null,
  changed_at double precision not null);
create table links (id text primary key not null, secret_hash text not null unique, thing text not null,
  user_name text not null, user_created_at double precision, token_id text, role text not null, name text,
  uses integer, pin_hash text, notifies_on_open integer not null, created_at double precision not null,
  expires_at double precision not null, revoked_at double precision, opened integer not null,
  wrong_pins integer not null, site text not null default '');
create index links_user_name on links (user_name);
create table link_openings (id text primary key not null, link_id text not null, viewer text, client text not null,
  at double precision not null, address text not null, agent text);
create index link_openings_link_id on link_openings (link_id, at);
create table screens (id text primary key not null, secret_hash text unique, name text not null,
  user_name text not null, user_created_at double precision not null, cameras text,
  created_at double precision not null, ends_at double precision, last_seen_at double precision,
  last_seen_from text, agent text, site text not null default '');
create index screens_user_name on screens (user_name);
create table screen_codes (device_hash text primary key not null, user_hash text not null unique,
  address text not null, agent text, created_at double precision not null, expires_at double precision not null,
  state text not null, screen_id text, polled_at double precision, site text not null default '');
create table ledger_records (id text primary key not null, chain text not null, kind text not null, user_name text,
  credential text, address text, camera text, from_at double precision not null, to_at double precision not null,
  watched_from double precision, watched_to double precision, detail text, hash text not null, site text, own_id text);
create index ledger_records_own_id on ledger_records (own_id);
create index ledger_records_from_at on ledger_records (from_at, id);
create index ledger_records_user_name on ledger_records (user_name, from_at, id);
create index ledger_records_camera on ledger_records (camera, from_at, id);
create index ledger_records_kind on ledger_records (kind, from_at, id);
create table ledger_open (id text primary key not null, kind text not null, user_name text,
  credential text, address text, camera text, from_at double precision not null, to_at double precision not null,
  watched_from double precision, watched_to double precision, detail text, site text,
  seen_at double precision not null default 0);
create table ledger_chains (chain text primary key not null, seq integer not null, hash text not null);
create table ledger_closings (id text primary key not null, chain text not null, day text not null,
  seq integer not null, hash text not null, records integer not null);
create table ledger_days (id text primary key not null, day text not null, user_name text not null,
  kind text not null, camera text not null, seconds double precision not null, records integer not null,
  hours integer not null, viewer text not null default '');
create index ledger_days_user on ledger_days (user_name, day);
create index ledger_days_day on ledger_days (day);
create table event_writes (day integer primary key not null, writes bigint not null);
create table store_identity (id text primary key not null)`;

/**
 * Guests whose accounts are gone: their next login makes no account without an end; `id` is that of a sign-in. Settings of the house,
 * which the page Security sets (SPEC 8): `id` is the key; that of `server.public_url` has the site behind it.
 */
const SINCE_0_2_0 = `
create table closed_sign_ins (id text primary key not null, subject text not null, provider text not null,
  known_until double precision not null);
create table settings (id text primary key not null, value text not null)`;

/**
 * Changes that every replica is told of. A revocation is deleted when its session is over by its age, and last uses change
 * no verdict: nothing that is remembered changes by those.
 */
const NOTICED: readonly (readonly [table: string, key: string, changes: string])[] = [
  ['users', 'name', 'insert or update or delete'],
  ['revoked_tokens', 'token_id', 'insert or update'],
  ['custom_roles', 'role', 'insert or update or delete'],
  ['api_tokens', 'id', 'insert or delete'],
  ['links', 'id', 'insert or delete or update of revoked_at'],
  ['curtain', 'camera', 'insert or update or delete'],
  ['screens', 'id', 'insert or delete or update of secret_hash, name, cameras'],
  ['sites', 'site', 'insert or update or delete'],
];

export const baseline = (words: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    const isOf020 = (await words.tableNamed('identity_keys').execute(db)).rows.length > 0;
    await words.createFunctions?.(db);
    await runAll(SINCE_0_2_0, db, words);
    await words.noticeRow?.(db, 'settings', 'id', 'insert or update or delete');
    if (isOf020) return from020(db as never, words);
    await runAll(TABLES, db, words);
    await createEvents(db, words);
    for (const [table, key, changes] of NOTICED) await words.noticeRow?.(db, table, key, changes);
    await sql`insert into store_identity (id) values (${randomUUID()})`.execute(db);
  },
});

/** A store of 0.2.0 on its way to the tables of the baseline (SPEC 1). */
async function from020(db: Kysely<never>, words: Dialect): Promise<void> {
  await db.schema.dropTable('identity_keys').execute();
  await namesOfCameras(db as never);
  await oneLedgerChain(db as never, words);
}

/** Names of sites as 0.2.0 knew them. */
const OF_SITE = /^[a-z0-9](?:[a-z0-9-]{0,28}[a-z0-9])?:(?<camera>.*)$/s;

type Entry = { camera: string; until: number | null; drawn_by: string; drawn_at: number };

/** The curtain is drawn for all but admins, and a camera's name means it at every site: entries that name a site get the bare name. A site tells the names of its roles alone (SPEC 19, 20). */
export async function namesOfCameras(
  db: Kysely<{ sites: { site: string; roles: string }; curtain: Entry }>,
): Promise<void> {
  const sites = await db.selectFrom('sites').select(['site', 'roles']).execute();
  for (const { site, roles } of sites) {
    const names = (JSON.parse(roles) as { role: string }[]).map(({ role }) => role);
    await db
      .updateTable('sites')
      .set({ roles: JSON.stringify(names) })
      .where('site', '=', site)
      .execute();
  }
  await db.schema.alterTable('curtain').dropColumn('roles').execute();
  const siteOf = (camera: string): string | undefined =>
    sites.map(({ site }) => site).find((site) => site !== '' && camera.startsWith(`${site}:`));
  const drawn = await db.selectFrom('curtain').selectAll().execute();
  if (!drawn.some(({ camera }) => OF_SITE.test(camera))) return;
  const bare = new Map<string, Entry>();
  for (const entry of drawn) {
    const site = siteOf(entry.camera);
    const camera = site === undefined ? entry.camera : entry.camera.slice(site.length + 1);
    // A site that no row tells of may be one all the same: its camera is drawn, and the name as it was.
    const unknown = site === undefined ? OF_SITE.exec(camera)?.groups?.['camera'] : undefined;
    for (const name of [camera, unknown ?? ''])
      if (name !== '') bare.set(name, both({ ...entry, camera: name }, bare.get(name)));
  }
  await db.deleteFrom('curtain').execute();
  for (const entry of bare.values()) await db.insertInto('curtain').values(entry).execute();
}

/** One entry that hides as long as both. */
function both(entry: Entry, other: Entry | undefined): Entry {
  if (!other) return entry;
  const until = entry.until === null || other.until === null ? null : Math.max(entry.until, other.until);
  return { ...entry, until };
}

interface FormerLedger {
  readonly ledger_chains: { readonly chain: string; readonly seq: number };
  readonly ledger_records: { readonly id: string; readonly site: string };
  readonly ledger_open: { readonly chain: string; readonly site: string };
}

/** One chain of the ledger for all that write it: records and spans name their site, and have an id of their own (SPEC 14). */
async function oneLedgerChain(db: Kysely<FormerLedger>, { text }: Dialect): Promise<void> {
  for (const table of ['ledger_records', 'ledger_open'])
    await db.schema.alterTable(table).addColumn('site', text).execute();
  await db.schema.alterTable('ledger_records').addColumn('own_id', text).execute();
  await db.schema.createIndex('ledger_records_own_id').on('ledger_records').column('own_id').execute();
  await db.schema
    .alterTable('ledger_open')
    .addColumn('seen_at', 'double precision', (column) => column.notNull().defaultTo(0))
    .execute();
  // The chains of a site were called `site:name`.
  for (const { chain } of await db.selectFrom('ledger_chains').select('chain').execute()) {
    const site = chain.slice(0, Math.max(0, chain.indexOf(':')));
    if (site === '') continue;
    const records = db.updateTable('ledger_records').set({ site });
    await records.where('id', '>', `${chain}-`).where('id', '<', `${chain}.`).execute();
    await db.updateTable('ledger_open').set({ site }).where('chain', '=', chain).execute();
  }
  await db.deleteFrom('ledger_chains').where('seq', '=', 0).execute();
  await db.schema.alterTable('ledger_open').dropColumn('chain').execute();
  for (const column of ['holder', 'seen_at']) await db.schema.alterTable('ledger_chains').dropColumn(column).execute();
}
