/** Screens in the console: their page in Settings. */
import { isPersonWithLogin, type PagePieces } from '../../../ui/pages/shared/pieces.tsx';
import { words } from '../../../ui/pages/shared/words.ts';

// biome-ignore format: a table
export const screenPages: PagePieces = {
  belongings: [{ list: 'api/screens', counted: (of) => words.screens.counted(of) }],
  settings: [
    { path: 'screens', before: 'tokens', title: () => words.screens.title, isFor: isPersonWithLogin, load: async () => (await import('./screens.tsx')).Screens, isOfHouse: true },
  ],
};
