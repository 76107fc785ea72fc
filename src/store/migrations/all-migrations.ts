/** The store's migrations in their order: a number once given never changes, new ones are added at the end. */
import type { MigrationProvider } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';
import { baseline, STEPS_OF_0_2_0 } from './029-baseline.ts';
import { namesOfCameras } from './032-names-of-cameras.ts';
import { settings } from './033-settings.ts';
import { oneLedgerChain } from './034-one-ledger-chain.ts';

export const migrationsFor = (dialect: Dialect): MigrationProvider => ({
  getMigrations: async () => ({
    ...Object.fromEntries(STEPS_OF_0_2_0.map((name) => [name, { up: async () => {} }])),
    '029-baseline': baseline(dialect),
    '032-names-of-cameras': namesOfCameras,
    '033-settings': settings(dialect),
    '034-one-ledger-chain': oneLedgerChain(dialect),
  }),
});
