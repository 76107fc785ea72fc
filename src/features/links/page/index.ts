/** Links in the console: their page in Settings, and Share at an event in Explore. */
import type { z } from 'zod';
import { isPerson, type PagePieces } from '../../../ui/pages/shared/pieces.tsx';
import { words } from '../../../ui/pages/shared/words.ts';
import type { LINK } from '../link-routes.ts';

export type LinkRecord = z.output<typeof LINK>;

/** It can be opened, or be opened again. */
export const isOpen = ({ state }: LinkRecord): boolean => state === 'active' || state === 'spent';

// biome-ignore format: a table
export const linkPages: PagePieces = {
  belongings: [{ list: 'api/links', counted: (of) => words.links.counted(of), holds: isOpen }],
  settings: [
    { path: 'links', before: 'tokens', title: () => words.links.title, isFor: isPerson, load: async () => (await import('./links.tsx')).Links, isOfHouse: true },
  ],
  pieces: {
    event: async () => (await import('./share.tsx')).ShareEvent,
  },
};
