/** Screens: what the cookie of a display is worth at this moment (SPEC 18). */

import {
  createMakers,
  type GrantServices,
  type GrantUses,
  limitedWhenBad,
  type MakerRights,
  secretHash,
} from '../../accounts/grants/grants.ts';
import { createLoginLimiter, type MemoryLimiter } from '../../accounts/login/login-limiter.ts';
import { type CookieClient, cookieLine } from '../../accounts/sessions/session-cookie.ts';
import type { Screen } from '../../domain/accounts/grant.ts';
import type { Caller, ScreenFault, ScreenVerdict } from '../../domain/caller.ts';
import { bothScopes, NO_CAMERAS, scopeOfNames, toScope } from '../../domain/camera-scope.ts';
import type { Clock } from '../../domain/clock.ts';
import { ADMIN, VIEWER } from '../../domain/names.ts';
import type { Verb } from '../../domain/policy.ts';
import { cookieValues } from '../../domain/sent-credentials.ts';
import { SCREEN_COOKIE } from '../../identity/sources.ts';

export type Screens = ReturnType<typeof createScreens>;

export function createScreens(services: Omit<GrantServices, 'store'>) {
  const { grants } = services;
  const rightsOf = createMakers(services);

  /** What the maker may see; undefined when the maker is gone. Outside of the hours of its role it is `closed`. */
  const makerOf = async ({ user, userCreatedAt }: Pick<Screen, 'user' | 'userCreatedAt'>) => {
    const maker = await rightsOf({ user, userCreatedAt, tokenId: null, role: VIEWER });
    return maker?.closed && maker.closed.reason !== 'outside-hours' ? undefined : maker;
  };
  /** Hours come back by themselves, so outside of them the screen lasts and shows nothing: a display cannot log in again. */
  const callerOf = async (screen: Screen): Promise<Caller | undefined> => {
    const maker = await makerOf(screen);
    const caller = maker && screenCaller(screen, maker);
    return caller && maker.closed ? { ...caller, scope: NO_CAMERAS } : caller;
  };
  const invalid = (reason: ScreenFault): ScreenVerdict => ({ kind: 'invalid', reason });

  return {
    makerOf,
    async verify(secret: string): Promise<ScreenVerdict> {
      const digest = secretHash(secret);
      const found = digest === undefined ? undefined : await grants.find('screen', { secretHash: digest });
      if (!found) return invalid('unknown');
      if (grants.isOver(found)) return invalid('expired');
      const caller = await callerOf(found);
      return caller ? { kind: 'valid', caller } : invalid('maker-gone');
    },
    /** The caller with the rights of now; undefined when the screen has ended. */
    async recheck({ credential }: Caller): Promise<Caller | undefined> {
      if (credential.kind !== 'screen') return undefined;
      const screen = await grants.find('screen', { id: credential.screenId });
      return screen && !grants.isOver(screen) ? callerOf(screen) : undefined;
    },
  };
}

/** A screen shows what is now, and acts on nothing. */
const NEVER: readonly Verb[] = ['history', 'export', 'ptz', 'talk'];
const ALL_THAT_THE_MAKER_SEES = toScope(['*']);

/**
 * The caller of a screen: its maker, narrowed to its cameras, live. Undefined when none is left. It is limited to cameras even
 * where its maker sees all, and never an admin: so nothing that is for those who see all can be for a screen.
 */
export function screenCaller(screen: Screen, maker: MakerRights): Caller | undefined {
  const { cameras, id: screenId, name: screenName, expiresAt } = screen;
  const own = cameras === null ? ALL_THAT_THE_MAKER_SEES : scopeOfNames(cameras);
  const scope = bothScopes(maker.scope, own);
  if (scope.kind === 'only' && scope.names.size === 0 && scope.wildcards.length === 0) return undefined;
  const { name, role, denied = [], history, changesAt } = maker;
  return {
    name,
    role: role === ADMIN ? VIEWER : role,
    scope,
    denied: [...new Set([...denied, ...NEVER])],
    ...(history && { history }),
    ...(changesAt !== undefined && { changesAt }),
    credential: { kind: 'screen', screenId, screenName, ...(expiresAt !== null && { expiresAt }) },
  };
}

/** The longest that a browser keeps a cookie: 400 days. It is set again while the screen is in use. */
const COOKIE_SECONDS = 400 * 86_400;

/** Secrets that are no screens, by address. */
export const createScreenLimiter = (clock: Clock): MemoryLimiter =>
  createLoginLimiter({ clauses: [{ count: 60, windowSeconds: 60, text: '60/minute' }], clock });

/** Screens for displays: with their cookie. `secure`: `auth.cookie_secure`. */
export function openScreens(
  screens: Screens,
  {
    grantUses,
    screenLimiter,
    secure,
  }: {
    readonly grantUses: Pick<GrantUses, 'note'>;
    readonly screenLimiter: MemoryLimiter;
    readonly secure: 'auto' | boolean;
  },
) {
  const cookie = { name: SCREEN_COOKIE, secure, sameSite: 'lax', path: '/' } as const;
  const screenCookie = (secret: string, client: CookieClient): string =>
    cookieLine(cookie, secret, COOKIE_SECONDS, client);
  return {
    ...screens,
    /** Notes the use of good ones, and limits bad ones by address. */
    async verifyFrom(secret: string, address: string): Promise<ScreenVerdict> {
      const verdict = await screens.verify(secret);
      if (verdict.kind === 'valid' && verdict.caller.credential.kind === 'screen')
        grantUses.note(verdict.caller.credential.screenId, address);
      return limitedWhenBad(verdict, address, screenLimiter);
    },
    screenCookie,
    /**
     * The line that clears the cookie of a screen that is over for good: it would count as a bad one at each poll. One whose maker may
     * see nothing at the moment is kept.
     */
    async cookieCleared(header: string, client: CookieClient): Promise<string | undefined> {
      const verdicts = await Promise.all(cookieValues(header, SCREEN_COOKIE).map(screens.verify));
      const isOver = verdicts.every((verdict) => verdict.kind === 'invalid' && verdict.reason !== 'maker-gone');
      return verdicts.length > 0 && isOver ? cookieLine(cookie, '', 0, client) : undefined;
    },
    /** The cookie of before, for as long again: the line of a header in which it came. */
    async cookieAgain(header: string, client: CookieClient): Promise<string | undefined> {
      for (const secret of cookieValues(header, SCREEN_COOKIE))
        if ((await screens.verify(secret)).kind === 'valid') return screenCookie(secret, client);
      return undefined;
    },
  };
}

export type OpenScreens = ReturnType<typeof openScreens>;
