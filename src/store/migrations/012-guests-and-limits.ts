/** Migration 12: guests, whose accounts begin and end, when a role was given, and what limits roles made in the console (SPEC 13). */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

export const guestsAndLimits = ({ text }: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const time of ['role_since', 'valid_from', 'valid_until'])
      await db.schema.alterTable('users').addColumn(time, 'double precision').execute();
    await db.schema.alterTable('custom_roles').addColumn('limits', text).execute();
  },
});
