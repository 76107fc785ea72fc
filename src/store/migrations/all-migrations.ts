/** The store's migrations in their order: a number once given never changes, new ones are added at the end. */
import type { MigrationProvider } from 'kysely/migration';
import { accounts } from './001-accounts.ts';
import { events } from './002-events.ts';
import { rolesSessionsTokens } from './003-roles-sessions-tokens.ts';
import { eventWrites } from './004-event-writes.ts';
import { sessionKeys } from './005-session-keys.ts';
import { sortsWithIds } from './006-sorts-with-ids.ts';

export const MIGRATIONS: MigrationProvider = {
  getMigrations: async () => ({
    '001-accounts': accounts,
    '002-events': events,
    '003-roles-sessions-tokens': rolesSessionsTokens,
    '004-event-writes': eventWrites,
    '005-session-keys': sessionKeys,
    '006-sorts-with-ids': sortsWithIds,
  }),
};
