/** The routes that manage accounts and what belongs to them, joined in the order of the rows of `postern.yaml`; most of them are called by commands, too. */
import type { Services } from '../../app/services.ts';
import type { OwnRoute } from '../../routes/own-route.ts';
import { LIMIT_ROUTES } from '../login/login-blocks.ts';
import { CONFIG_SET_ROUTES, ROLE_ROUTES } from '../roles/role-routes.ts';
import { SESSION_ROUTES } from '../sessions/session-routes.ts';
import { SETTING_ROUTES } from '../settings/house-settings.ts';
import { SITE_ROUTES } from '../sites/sites.ts';
import { TOKEN_ROUTES } from '../tokens/token-routes.ts';
import { USER_ROUTES } from '../users/user-routes.ts';

export const ACCOUNT_ROUTES: readonly OwnRoute<Services>[] = [
  ...USER_ROUTES,
  ...LIMIT_ROUTES,
  ...SETTING_ROUTES,
  ...SESSION_ROUTES,
  ...ROLE_ROUTES,
  ...CONFIG_SET_ROUTES,
  ...TOKEN_ROUTES,
  ...SITE_ROUTES,
];
