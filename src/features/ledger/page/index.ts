/** The ledger in the console: Activity, and what happened to one's own account, in Settings. */
import { always, type PagePieces } from '../../../ui/pages/shared/pieces.tsx';
import { words } from '../../../ui/pages/shared/words.ts';

// biome-ignore format: a table
export const ledgerPages: PagePieces = {
  menu: [
    { path: 'activity', before: 'settings', title: () => words.ui.frame.activity,        isFor: always,            load: async () => (await import('./activity.tsx')).Activity },
  ],
  pieces: { account: async () => (await import('./security-events.tsx')).SecurityEvents },
};
