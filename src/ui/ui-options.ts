/** What the pages of the server need: the settings, and the services behind their forms and links. */
import type { LoginProvider } from '../accounts/login/reauthenticate.ts';
import type { AccountServices, Services } from '../app/services.ts';
import type { Caller } from '../domain/caller.ts';
import type { RouteContext } from '../routes/own-route.ts';
import type { BuiltPages } from './built-pages.ts';
import type { Html } from './html.ts';
import type { PageFacts } from './pages/shared/page-facts.ts';

/** What is told to the console, and what the server's own pages need. */
export interface UiOptions extends Omit<PageFacts, 'loginPath' | 'providers'> {
  /** The providers that people can sign in with. */
  readonly providers: readonly LoginProvider[];
  /** What features show below the form of the login page, which leads to `wanted`. */
  readonly onLoginPage: (ctx: RouteContext, wanted: string) => Promise<readonly (Html | undefined)[]>;
  /** Undefined while they are not built. */
  readonly pages: BuiltPages | undefined;
  /** `ui.login`: with `nvr`, `/login` is left to the NVR, and the console's own login is at `/postern/login`. */
  readonly loginPage: 'postern' | 'nvr';
  /** The start page of a caller, or of the NVR's own pages the first: a path from the root, without the base path. */
  readonly startPageOf: (caller: Caller, isOfCameras: boolean) => string;
  /** False where people sign in with a provider or a passkey alone. */
  readonly hasPasswords: boolean;
  /** `ui.frame_ancestors` as the Content-Security-Policy spells it. */
  readonly frameAncestors: string;
  /** What the form of the login asks. */
  readonly accounts: AccountServices;
  /** What the pages of invitations ask. */
  readonly invitations: InvitationPageServices;
  /** `auth.timezone`: an IANA name; undefined: the service's own. */
  readonly timeZone: string | undefined;
  /** Seconds in which the body of a form must arrive. */
  readonly bodySeconds: () => number;
}

export type InvitationPageServices = AccountServices & Pick<Services, 'friendlyNameOf' | 'visibleCameras'>;
