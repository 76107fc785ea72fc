/** Migration 2: detection events, what they are searched by, and the indices for the commonest questions (interface 2.4). */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

export const events = (dialect: Dialect): Migration => ({
  up: (db: Kysely<unknown>) => dialect.events.create(db),
});
