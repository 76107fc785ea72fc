/** The ledger in the console: Activity, and one's own security events in Settings. */
import { always, isPersonWithLogin, type PagePieces } from '../../../ui/pages/shared/pieces.tsx';
import { words } from '../../../ui/pages/shared/words.ts';

// biome-ignore format: a table
export const ledgerPages: PagePieces = {
  menu: [
    { path: 'activity', before: 'settings', title: () => words.ui.frame.activity,        isFor: always,            load: async () => (await import('./activity.tsx')).Activity },
  ],
  settings: [
    { path: 'events',   before: 'tokens',   title: () => words.ledger.notices.title,     isFor: isPersonWithLogin, load: async () => (await import('./security-events.tsx')).SecurityEvents },
  ],
};
