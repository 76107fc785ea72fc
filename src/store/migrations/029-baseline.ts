/** Migration 29: the tables of a new store, and the way of a store of 0.2.0 to them (SPEC 1, 10). */
import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { createEvents, type Dialect, runAll } from '../engine/engine.ts';

/** Steps of commits between 0.2.0 and the next release, which the baseline takes at once. */
export const STEPS_SINCE_0_2_0 = ['030-grants', '031-logins', '032-device-names', '033-token-right'] as const;

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
create table totp_secrets (user_name text primary key not null, secret text, last_step double precision,
  pending text, pending_until double precision);
create table recovery_codes (code_hash text primary key not null, user_name text not null);
create index recovery_codes_user_name on recovery_codes (user_name);
create table passkeys (id text primary key not null, user_name text not null, user_handle text not null,
  public_key text not null, counter double precision not null, transports text not null,
  is_backup_eligible integer not null, is_backed_up integer not null, name text not null,
  created_at double precision not null, last_used_at double precision);
create index passkeys_user_name on passkeys (user_name);
create table known_clients (id text primary key not null, user_name text not null,
  last_seen double precision not null, name text default null);
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

const OWN = 'id text primary key not null references grants (id) on delete cascade';

/**
 * Guests whose accounts are gone: their next login makes no account without an end; `id` is that of a sign-in. Settings of the house,
 * which the page Security sets (SPEC 8): `id` is the key; that of `server.public_url` has the site behind it. API tokens, links,
 * screens and invitations are grants, in one table; what is a kind's own stands beside it (SPEC 4.4, 12, 13, 18).
 */
const SINCE_0_2_0 = `
create table closed_sign_ins (id text primary key not null, subject text not null, provider text not null,
  known_until double precision not null);
create table settings (id text primary key not null, value text not null);
create table grants (id text primary key not null, kind text not null, secret_hash text, name text,
  user_name text not null, user_created_at double precision, role text, cameras text,
  created_at double precision not null, expires_at double precision, revoked_at double precision,
  last_used_at double precision, last_used_from text, site text not null default '');
create index grants_secret_hash on grants (secret_hash);
create index grants_user_name on grants (user_name, kind);
create table token_rights (${OWN}, manages_accounts integer not null, logs_in integer not null, made_for text default null);
create table link_terms (${OWN}, thing text not null, token_id text, uses integer, pin_hash text,
  notifies_on_open integer not null, opened integer not null default 0, wrong_pins integer not null default 0);
create table screen_displays (${OWN}, agent text);
create table invitation_terms (${OWN}, made_by text not null);
create table openings (id text primary key not null, link_id text not null references grants (id) on delete cascade,
  viewer text, client text not null, at double precision not null, address text not null, agent text);
create index openings_link_id on openings (link_id, at)`;

const COMMON = 'id, kind, secret_hash, name, user_name, user_created_at, role, cameras, created_at, expires_at,';

/** The rows of 0.2.0 become grants, and a device has the name that its person gives it. */
const FROM_0_2_0 = `
alter table known_clients add column name text default null;
insert into grants (${COMMON} last_used_at, last_used_from) select id, 'api-token', secret_hash, name, user_name,
  user_created_at, role, cameras, created_at, expires_at, last_used_at, last_used_from from api_tokens;
insert into token_rights select id, manages_accounts, logs_in, case is_for_curtain when 1 then 'curtain' end from api_tokens;
insert into grants (${COMMON} revoked_at, site) select id, 'link', secret_hash, name, user_name,
  user_created_at, role, null, created_at, expires_at, revoked_at, site from links;
insert into link_terms select id, thing, token_id, uses, pin_hash, notifies_on_open, opened, wrong_pins from links;
insert into openings select id, link_id, viewer, client, at, address, agent from link_openings
  where link_id in (select id from links);
insert into grants (${COMMON} last_used_at, last_used_from, site) select id, 'screen', secret_hash, name, user_name,
  user_created_at, null, cameras, created_at, ends_at, last_seen_at, last_seen_from, site from screens;
insert into screen_displays select id, agent from screens;
insert into grants (${COMMON} last_used_at) select token_hash, 'invitation', token_hash, null, user_name,
  user_created_at, null, null, created_at, expires_at, used_at from invitations;
insert into invitation_terms select token_hash, made_by from invitations;
drop table api_tokens;
drop table link_openings;
drop table links;
drop table screens;
drop table invitations`;

/**
 * Changes that every replica is told of. A revocation is deleted when its session is over by its age, and last uses change
 * no verdict: nothing that is remembered changes by those.
 */
const NOTICED: readonly (readonly [table: string, key: string, changes: string])[] = [
  ['settings', 'id', 'insert or update or delete'],
  ['grants', 'id', 'insert or delete or update of secret_hash, name, cameras, revoked_at'],
];
const NOTICED_IN_0_2_0: typeof NOTICED = [
  ['users', 'name', 'insert or update or delete'],
  ['revoked_tokens', 'token_id', 'insert or update'],
  ['custom_roles', 'role', 'insert or update or delete'],
  ['curtain', 'camera', 'insert or update or delete'],
  ['sites', 'site', 'insert or update or delete'],
];

export const baseline = (words: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    const isOf020 = (await words.tableNamed('identity_keys').execute(db)).rows.length > 0;
    await words.createFunctions?.(db);
    await runAll(SINCE_0_2_0, db, words);
    for (const notice of NOTICED) await words.noticeRow?.(db, ...notice);
    if (isOf020) return from020(db as never, words);
    await runAll(TABLES, db, words);
    await createEvents(db, words);
    for (const notice of NOTICED_IN_0_2_0) await words.noticeRow?.(db, ...notice);
    await sql`insert into store_identity (id) values (${randomUUID()})`.execute(db);
  },
});

/** A store of 0.2.0 on its way to the tables of the baseline (SPEC 1). */
async function from020(db: Kysely<never>, words: Dialect): Promise<void> {
  await db.schema.dropTable('identity_keys').execute();
  await namesOfCameras(db as never);
  await oneLedgerChain(db as never, words);
  await runAll(FROM_0_2_0, db, words);
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
