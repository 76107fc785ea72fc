/** The curtain in the console: its switches on Live, and the tokens that are made for it alone. */
import type { PagePieces } from '../../../ui/pages/shared/pieces.tsx';
import { words } from '../../../ui/pages/shared/words.ts';

export const curtainPages: PagePieces = {
  rights: [{ name: 'curtain', title: () => words.curtain.title, only: () => words.curtain.onlyToken }],
  pieces: { live: async () => (await import('./curtain.tsx')).Curtain },
};
