/** Postern's own routes, joined: the rows of the table `postern`, the description of the API, and what the gate serves. */
import { CURTAIN_ROUTES } from '../../accounts/curtain/curtain-routes.ts';
import { INVITATION_ROUTES } from '../../accounts/invitations/invitation-routes.ts';
import { INVITED_PASSKEY_ROUTES } from '../../accounts/invitations/invited-passkey-routes.ts';
import { LINK_PAGE_ROUTES } from '../../accounts/links/link-page.ts';
import { LINK_ROUTES } from '../../accounts/links/link-routes.ts';
import { LIMIT_ROUTES } from '../../accounts/login/login-blocks.ts';
import { LOGIN_ROUTES } from '../../accounts/login/login-routes.ts';
import { PASSKEY_LOGIN_ROUTES } from '../../accounts/login/passkey-login-routes.ts';
import { REAUTHENTICATE_ROUTES } from '../../accounts/login/reauthenticate.ts';
import { OIDC_ROUTES } from '../../accounts/oidc/oidc-routes.ts';
import { SIGN_IN_ROUTES } from '../../accounts/oidc/sign-in-routes.ts';
import { PASSKEY_ROUTES } from '../../accounts/passkeys/passkey-routes.ts';
import { CONFIG_SET_ROUTES } from '../../accounts/roles/config-set-route.ts';
import { ROLE_ROUTES } from '../../accounts/roles/role-routes.ts';
import { PAIRING_ROUTES } from '../../accounts/screens/pairing-routes.ts';
import { SCREEN_ROUTES } from '../../accounts/screens/screen-routes.ts';
import { FACTOR_ROUTES } from '../../accounts/second-factor/factor-routes.ts';
import { SESSION_ROUTES } from '../../accounts/sessions/session-routes.ts';
import { SETTING_ROUTES } from '../../accounts/settings/setting-routes.ts';
import { SITE_ROUTES } from '../../accounts/sites/site-routes.ts';
import { TOKEN_ROUTES } from '../../accounts/tokens/token-routes.ts';
import { USER_ROUTES } from '../../accounts/users/user-routes.ts';
import { EVENT_ROUTES, STATUS_ROUTES } from '../../gateway/entry/gateway-routes.ts';
import { EXPLAIN_ROUTES } from '../../gateway/explain/explain-route.ts';
import { OPENAPI_ROUTES } from '../../routes/document.ts';
import { type BoundRoute, bound, type OwnRoute } from '../../routes/own-route.ts';
import { PAGE_ROUTES } from '../../ui/serve-ui.ts';
import type { Services } from '../services.ts';

/** The routes by what their handlers need. */
const GROUPS = {
  login: [...LOGIN_ROUTES, ...PASSKEY_LOGIN_ROUTES, ...REAUTHENTICATE_ROUTES],
  signIns: [...OIDC_ROUTES, ...SIGN_IN_ROUTES],
  pages: PAGE_ROUTES,
  invitations: [...INVITATION_ROUTES, ...INVITED_PASSKEY_ROUTES],
  screens: [...PAIRING_ROUTES, ...SCREEN_ROUTES],
  links: [...LINK_ROUTES, ...LINK_PAGE_ROUTES],
  openapi: OPENAPI_ROUTES,
  factors: [...FACTOR_ROUTES, ...PASSKEY_ROUTES],
  events: EVENT_ROUTES,
  status: STATUS_ROUTES,
  explain: EXPLAIN_ROUTES,
  users: USER_ROUTES,
  limits: LIMIT_ROUTES,
  settings: SETTING_ROUTES,
  sessions: SESSION_ROUTES,
  roles: [...ROLE_ROUTES, ...CONFIG_SET_ROUTES],
  tokens: TOKEN_ROUTES,
  curtain: CURTAIN_ROUTES,
  sites: SITE_ROUTES,
};
type GroupName = keyof typeof GROUPS;

/** What all of these need at once. */
type Needed<Routes> = Routes extends readonly (infer Route)[] ? NeededByAll<Route> : never;
type NeededByAll<Route> = (Route extends OwnRoute<infer Deps> ? (deps: Deps) => void : never) extends (
  deps: infer All,
) => void
  ? All
  : never;

/** What each group needs, and no more, where it does not take it of the services. */
export type GroupDeps = {
  readonly [Name in GroupName as Services extends Needed<(typeof GROUPS)[Name]> ? never : Name]: Needed<
    (typeof GROUPS)[Name]
  >;
};

/** Those of the core; those of the features follow. */
export const CORE_ROUTES: readonly OwnRoute<never>[] = Object.values(GROUPS).flat();

export function boundRoutes(services: Services, others: GroupDeps): readonly BoundRoute[] {
  const given: Partial<Record<GroupName, unknown>> = others;
  return (Object.keys(GROUPS) as GroupName[]).flatMap((name) =>
    bound(GROUPS[name] as readonly OwnRoute<never>[], (given[name] ?? services) as never),
  );
}
