/**
 * The features of the service, in the order in which they are opened; `postern.yaml` and the commands follow it. What a service
 * or an open store needs of a feature is loaded then: other commands do not wait for it.
 */
import { giveTables } from '../store/engine/tables.ts';
import { BACKUP } from './backup/command.ts';
import { CHECK } from './check/command.ts';
import { CURTAIN_TABLES } from './curtain/tables.ts';
import { DOCTOR } from './doctor/command.ts';
import type { Feature } from './feature.ts';
import { LEDGER } from './ledger/command.ts';
import { LEDGER_TABLES } from './ledger/tables.ts';
import { LINKS } from './links/command.ts';
import { LINK_TABLES } from './links/tables.ts';
import { POLICY } from './policy/command.ts';
import { SCREENS } from './screens/command.ts';
import { SCREEN_TABLES } from './screens/tables.ts';

export const FEATURES: readonly Feature[] = [
  { name: 'oidc', load: async () => (await import('./oidc/index.ts')).oidc },
  { name: 'notify', load: async () => (await import('./notify/index.ts')).notify },
  {
    name: 'ledger',
    tables: LEDGER_TABLES,
    load: async () => (await import('./ledger/index.ts')).ledger,
    group: LEDGER,
  },
  {
    name: 'links',
    tables: LINK_TABLES,
    load: async () => (await import('./links/index.ts')).links,
    group: LINKS,
  },
  {
    name: 'screens',
    tables: SCREEN_TABLES,
    load: async () => (await import('./screens/index.ts')).screens,
    group: SCREENS,
  },
  {
    name: 'curtain',
    tables: CURTAIN_TABLES,
    tokenRight: 'draws and opens the curtain',
    load: async () => (await import('./curtain/index.ts')).curtain,
  },
  { name: 'check', group: CHECK },
  { name: 'policy', group: POLICY },
  { name: 'backup', group: BACKUP },
  { name: 'doctor', load: async () => (await import('./doctor/index.ts')).doctor, group: DOCTOR },
];

for (const { tables } of FEATURES) if (tables) giveTables(tables);
