/** Migration 7: changes of accounts, roles, tokens and revocations are told to every replica (SPEC 10). */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

export const changeNotices = ({ noticeChanges }: Dialect): Migration => ({
  up: (db: Kysely<unknown>) => noticeChanges(db),
});
