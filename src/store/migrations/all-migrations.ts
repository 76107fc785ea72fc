/** The store's migrations in their order: a number once given never changes, new ones are added at the end. */
import type { MigrationProvider } from 'kysely/migration';
import type { Dialect } from '../engine/engine.ts';
import { baseline, STEPS_OF_0_2_0, STEPS_SINCE_0_2_0 } from './029-baseline.ts';

export const migrationsFor = (dialect: Dialect): MigrationProvider => ({
  getMigrations: async () => ({
    ...Object.fromEntries([...STEPS_OF_0_2_0, ...STEPS_SINCE_0_2_0].map((name) => [name, { up: async () => {} }])),
    '029-baseline': baseline(dialect),
  }),
});
