/** Migration 31: who changes a row is told its name at once, before the notice of it has come back (SPEC 10). */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

export const namedRows = ({ nameRows }: Dialect): Migration => ({
  up: (db: Kysely<unknown>) => nameRows(db),
});
