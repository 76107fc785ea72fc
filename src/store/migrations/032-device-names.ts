/** Migration 32: a device has the name that its person gives it (SPEC 12). */
import type { Migration } from 'kysely/migration';
import { type Dialect, runAll } from '../engine/engine.ts';

export const deviceNames = (words: Dialect): Migration => ({
  up: (db) => runAll('alter table known_clients add column name text default null', db, words),
});
