/** Migration 17: a notice of a change names the row, so that what it does not touch stays known (SPEC 10). */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

export const rowNotices = ({ noticeRows }: Dialect): Migration => ({
  up: (db: Kysely<unknown>) => noticeRows(db),
});
