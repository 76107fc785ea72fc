/** The pages of the core, in their order; those of features stand among them (SPEC 8; interface 5.6). */
import { Settings } from '../settings/settings.tsx';
import { isAdmin } from '../shared/account.ts';
import { always, hasLogin, isAdminWithLogin, isPersonWithLogin, type PagePieces } from '../shared/pieces.tsx';
import { words } from '../shared/words.ts';

/** What must be done before anything else is a page of Settings, too. */
export const loadPassword = async () => (await import('../settings/password.tsx')).Password;
export const loadTwoStep = async () => (await import('../settings/two-step.tsx')).TwoStep;

/** What a guest needs first comes first. */
// biome-ignore format: a table
export const CORE_PAGES: PagePieces = {
  belongings: [
    { list: 'api/sessions', counted: (of) => words.sessions.counted(of) },
    { list: 'api/tokens',   counted: (of) => words.tokens.counted(of) },
  ],
  menu: [
    { path: '',         title: () => words.ui.frame.live,     isFor: always,  load: async () => (await import('../live/live.tsx')).Live, slots: ['live'] },
    { path: 'explore',  title: () => words.ui.frame.explore,  isFor: always,  load: async () => (await import('../explore/explore.tsx')).Explore },
    { path: 'settings', title: () => words.ui.frame.settings, isFor: always,  load: async () => Settings, hasParts: true },
    { path: 'status',   title: () => words.ui.frame.status,   isFor: isAdmin, load: async () => (await import('../status/status.tsx')).Status, slots: ['status'] },
  ],
  settings: [
    { path: 'users',    title: () => words.users.title,            isFor: isAdminWithLogin,  load: async () => (await import('../settings/users.tsx')).Users, isOfHouse: true },
    { path: 'roles',    title: () => words.roles.title,            isFor: isAdmin,           load: async () => (await import('../settings/roles.tsx')).Roles, isOfHouse: true },
    { path: 'access',   title: () => words.access.title,           isFor: isAdmin,           load: async () => (await import('../settings/access.tsx')).Access, isOfHouse: true },
    { path: 'account',  title: () => words.account.title,          isFor: isPersonWithLogin, load: loadTwoStep, slots: ['account'] },
    { path: 'password', title: () => words.passwords.change.title, isFor: isPersonWithLogin, load: loadPassword },
    { path: 'sessions', title: () => words.sessions.title,         isFor: hasLogin,          load: async () => (await import('../settings/sessions.tsx')).Sessions, isOfHouse: true },
    { path: 'tokens',   title: () => words.tokens.title,           isFor: always,            load: async () => (await import('../settings/tokens.tsx')).Tokens, isOfHouse: true },
    { path: 'security', title: () => words.security.title,         isFor: isAdminWithLogin,  load: async () => (await import('../settings/security.tsx')).Security, isOfHouse: true },
  ],
};
