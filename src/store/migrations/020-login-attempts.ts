/** Migration 20: attempts at a login are counted in the store where replicas share it (SPEC 10). */
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

export const loginAttempts = ({ countAttempts }: Dialect): Migration => ({ up: (db) => countAttempts(db) });
