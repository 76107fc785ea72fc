/** Providers in the console: one's own sign-ins with them in Settings. */
import type { Profile } from '../../../ui/pages/shared/account.ts';
import { isPerson, type PagePieces } from '../../../ui/pages/shared/pieces.tsx';
import { facts, words } from '../../../ui/pages/shared/words.ts';

const hasProviders = (who: Profile): boolean => isPerson(who) && facts.providers.length > 0;

// biome-ignore format: a table
export const oidcPages: PagePieces = {
  settings: [
    { path: 'sign-ins', before: 'sessions', title: () => words.oidc.signIns.title, isFor: hasProviders, load: async () => (await import('./sign-ins.tsx')).SignIns },
  ],
};
