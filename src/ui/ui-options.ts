/** What the pages of the server need: the settings, and the services behind their forms and links. */
import type { Barred, Caller, SharedThing } from '../domain/caller.ts';
import type { RouteContext } from '../routes/own-route.ts';
import type { BuiltPages } from './built-pages.ts';
import type { PageFacts } from './pages/shared/page-facts.ts';

/** What is told to the console, and what the server's own pages need. */
export interface UiOptions extends Omit<PageFacts, 'loginPath'> {
  /** Undefined while they are not built. */
  readonly pages: BuiltPages | undefined;
  /** `ui.login`: with `nvr`, `/login` is left to the NVR, and the console's own login is at `/postern/login`. */
  readonly loginPage: 'postern' | 'nvr';
  /** The address of a camera's still image, as the route table writes it; undefined where it has none. */
  readonly still: string | undefined;
  /** Likewise that of its live stream. */
  readonly live: string | undefined;
  /** The start page of a caller: a path from the root, without the base path. */
  readonly startPageOf: (caller: Caller) => string;
  /** False where people sign in with a provider or a passkey alone. */
  readonly hasPasswords: boolean;
  /** `ui.frame_ancestors` as the Content-Security-Policy spells it. */
  readonly frameAncestors: string;
  /** Logs in by a form that is sent without a script. */
  readonly logIn: LogIn;
  readonly invitations: InvitationService;
  readonly links: LinkService;
  /** Seconds in which the body of a form must arrive. */
  readonly bodySeconds: () => number;
}

/** Outcome of a login attempt. */
export type FormLogin =
  | { readonly kind: 'logged-in'; readonly cookies: readonly string[] }
  /** The password was right: the cookie remembers that for the second step. */
  | { readonly kind: 'code-asked'; readonly cookie: string }
  | { readonly kind: 'code-wrong' | 'step-over' }
  | { readonly kind: 'wrong-credentials' | 'unfit' | 'no-passwords' }
  /** Everything was right; the account, its role or a password may not be used now. */
  | ({ readonly kind: 'closed' } & Barred)
  | { readonly kind: 'wait'; readonly why: 'too-many-tries' | 'busy'; readonly seconds: number };

export interface LogIn {
  logIn(attempt: { readonly user: string; readonly password: string }, ctx: RouteContext): Promise<FormLogin>;
  /** Finishes a login with the code alone: the browser's cookie says whose password was right. */
  secondStep(code: string, ctx: RouteContext): Promise<FormLogin>;
}

/** What a person who gets an account is told before anything is typed. */
export interface InvitedGuest {
  /** The name of the admin; undefined when the invitation was made at the machine. */
  readonly by: string | undefined;
  /** Undefined: all of them. */
  readonly cameras: readonly string[] | undefined;
  /** Unix seconds: the end of the account. */
  readonly until: number | undefined;
  readonly timeZone: string | undefined;
}

/** When an account that is closed can be used. `at`: Unix seconds. */
export interface Opening {
  readonly at: number;
  readonly timeZone: string | undefined;
}

export interface InvitationHolder {
  readonly user: string;
  /** Absent: it can be used at once, or is closed for good. */
  readonly opens?: Opening;
  /** Absent for an account that had a password: the link is for a new one. */
  readonly guest?: InvitedGuest;
  /** Not beside a second factor: a new passkey would be a way around it. */
  readonly mayUsePasskey: boolean;
}

/** What became of a visit, or of a form. `message`: which rule the password breaks. */
export type InvitationVisit =
  | (InvitationHolder & { readonly kind: 'holds' | 'busy' })
  | (InvitationHolder & { readonly kind: 'password-unfit'; readonly message: string })
  | { readonly kind: 'accepted'; readonly user: string; readonly hasSession?: true; readonly opens?: Opening }
  /** Unknown, used, over or revoked: all alike. */
  | { readonly kind: 'void' | 'no-passwords' }
  | { readonly kind: 'limited'; readonly seconds: number };

export interface InvitationService {
  look(token: string, ctx: RouteContext): Promise<InvitationVisit>;
  accept(given: { readonly token: string; readonly password: string }, ctx: RouteContext): Promise<InvitationVisit>;
}

/** Files below the link, by name. */
export interface ShownThing {
  readonly kind: SharedThing['kind'];
  readonly camera: string;
  /** What people call the camera, where the NVR has such a name. */
  readonly friendlyName?: string | undefined;
  /** The NVR has it no more. */
  readonly isGone?: boolean | undefined;
  /** Unix seconds. */
  readonly at?: number | undefined;
  readonly label?: string | undefined;
  readonly picture?: string | undefined;
  readonly clip?: string | undefined;
  /** The playlist of the clip: the NVR makes the clip while it sends it, without length and ranges, and iPhones play none such. */
  readonly playlist?: string | undefined;
}

type ClosedLinkPage = { readonly kind: 'over' | 'busy' } | { readonly kind: 'limited'; readonly seconds: number };

export type LinkPageVisit =
  | ClosedLinkPage
  /** Digits alone: by the keyboard for them. */
  | { readonly kind: 'pin'; readonly isNumeric: boolean }
  | {
      readonly kind: 'shown';
      readonly name: string | undefined;
      readonly expiresAt: number;
      readonly thing: ShownThing;
      /** IANA name; undefined: the service's own. */
      readonly timeZone: string | undefined;
      /** A line of `Set-Cookie`. */
      readonly cookie: string | undefined;
    };

export type WrongPin = { readonly kind: 'wrong'; readonly isNumeric: boolean };
export interface LinkService {
  visit(secret: string, ctx: RouteContext): Promise<LinkPageVisit>;
  givePin(
    given: { readonly secret: string; readonly pin: string },
    ctx: RouteContext,
  ): Promise<ClosedLinkPage | WrongPin | { readonly kind: 'right'; readonly cookie: string }>;
}
