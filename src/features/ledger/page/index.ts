/** The ledger in the console: Activity, and one's own security events in Settings. */
import type { z } from 'zod';
import { always, isPersonWithLogin, type PagePieces } from '../../../ui/pages/shared/pieces.tsx';
import { words } from '../../../ui/pages/shared/words.ts';
import type { ACCOUNT_EVENT } from '../notices.ts';

declare module '../../../ui/pages/shared/answers.ts' {
  interface Lists {
    'api/account/events': z.output<typeof ACCOUNT_EVENT>;
  }
}

// biome-ignore format: a table
export const ledgerPages: PagePieces = {
  menu: [
    { path: 'activity', before: 'settings', title: () => words.ui.frame.activity,        isFor: always,            load: async () => (await import('./activity.tsx')).Activity },
  ],
  settings: [
    { path: 'events',   before: 'links',    title: () => words.ledger.notices.title,     isFor: isPersonWithLogin, load: async () => (await import('./security-events.tsx')).SecurityEvents },
  ],
};
