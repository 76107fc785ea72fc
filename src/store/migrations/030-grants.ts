/** Migration 30: API tokens, links, screens and invitations are grants, in one table; what is a kind's own stands beside it (SPEC 1, 4.4, 12, 13, 18). */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { type Dialect, runAll } from '../engine/engine.ts';

const OWN = 'id text primary key not null references grants (id) on delete cascade';
const COMMON = 'id, kind, secret_hash, name, user_name, user_created_at, role, cameras, created_at, expires_at,';

const STATEMENTS = `
create table grants (id text primary key not null, kind text not null, secret_hash text, name text,
  user_name text not null, user_created_at double precision, role text, cameras text,
  created_at double precision not null, expires_at double precision, revoked_at double precision,
  last_used_at double precision, last_used_from text, site text not null default '');
create index grants_secret_hash on grants (secret_hash);
create index grants_user_name on grants (user_name, kind);
create table token_rights (${OWN}, manages_accounts integer not null, logs_in integer not null, is_for_curtain integer not null);
create table link_terms (${OWN}, thing text not null, token_id text, uses integer, pin_hash text,
  notifies_on_open integer not null, opened integer not null default 0, wrong_pins integer not null default 0);
create table screen_displays (${OWN}, agent text);
create table invitation_terms (${OWN}, made_by text not null);
create table openings (id text primary key not null, link_id text not null references grants (id) on delete cascade,
  viewer text, client text not null, at double precision not null, address text not null, agent text);
create index openings_link_id on openings (link_id, at);
insert into grants (${COMMON} last_used_at, last_used_from) select id, 'api-token', secret_hash, name, user_name,
  user_created_at, role, cameras, created_at, expires_at, last_used_at, last_used_from from api_tokens;
insert into token_rights select id, manages_accounts, logs_in, is_for_curtain from api_tokens;
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

export const grants = (words: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    await runAll(STATEMENTS, db, words);
    // Last uses change no verdict.
    const changes = 'insert or delete or update of secret_hash, name, cameras, revoked_at';
    await words.noticeRow?.(db, 'grants', 'id', changes);
  },
});
