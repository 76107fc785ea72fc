/** Postern's own routes, joined: the rows of the table `postern`, the description of the API, and what the gate serves. */
import { ACCOUNT_ROUTES } from '../accounts/all/account-routes.ts';
import { INVITATION_ROUTES } from '../accounts/invitations/invitation-routes.ts';
import { LOGIN_ROUTES } from '../accounts/login/login-routes.ts';
import { PASSKEY_LOGIN_ROUTES } from '../accounts/login/post-login.ts';
import { REAUTHENTICATE_ROUTES } from '../accounts/login/reauthenticate.ts';
import { PASSKEY_ROUTES } from '../accounts/passkeys/passkey-routes.ts';
import { FACTOR_ROUTES } from '../accounts/second-factor/factor-routes.ts';
import { EVENT_ROUTES, STATUS_ROUTES } from '../gateway/entry/gateway-routes.ts';
import { EXPLAIN_ROUTES } from '../gateway/explain/explain-route.ts';
import { OPENAPI_ROUTES } from '../routes/document.ts';
import { type BoundRoute, bound, type OwnRoute } from '../routes/own-route.ts';
import { PAGE_ROUTES } from '../ui/serve-ui.ts';
import type { Services } from './services.ts';

/** The pages of the server take one member of the services. */
const PAGES = PAGE_ROUTES.map(
  ({ handler, call: _, ...route }): OwnRoute<Pick<Services, 'ui'>> => ({
    ...route,
    handler: (ctx, { ui }, next) => handler?.(ctx, ui, next),
  }),
);

/** The routes of the core, in the order of the rows of `postern.yaml`; those of the features follow. */
export const CORE_ROUTES: readonly OwnRoute<Services>[] = [
  ...LOGIN_ROUTES,
  ...PASSKEY_LOGIN_ROUTES,
  ...REAUTHENTICATE_ROUTES,
  ...PAGES,
  ...INVITATION_ROUTES,
  ...OPENAPI_ROUTES,
  ...FACTOR_ROUTES,
  ...PASSKEY_ROUTES,
  ...EVENT_ROUTES,
  ...STATUS_ROUTES,
  ...EXPLAIN_ROUTES,
  ...ACCOUNT_ROUTES,
];

export const boundRoutes = (services: Services): readonly BoundRoute[] => bound(CORE_ROUTES, services);
