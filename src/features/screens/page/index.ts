/** Screens in the console: their page in Settings. */
import type { z } from 'zod';
import { isPersonWithLogin, type PagePieces } from '../../../ui/pages/shared/pieces.tsx';
import { words } from '../../../ui/pages/shared/words.ts';
import type { SCREEN } from '../screen-routes.ts';

export type ScreenRecord = z.output<typeof SCREEN>;
declare module '../../../ui/pages/shared/answers.ts' {
  interface Lists {
    'api/screens': ScreenRecord;
  }
}

// biome-ignore format: a table
export const screenPages: PagePieces = {
  belongings: [{ list: 'api/screens', counted: (of) => words.screens.counted(of) }],
  settings: [
    { path: 'screens', before: 'tokens', title: () => words.screens.title, isFor: isPersonWithLogin, load: async () => (await import('./screens.tsx')).Screens },
  ],
};
