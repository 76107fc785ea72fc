/** Screens as the configuration has them: what they are worth, their cookie, and pairing (SPEC 18). */
import { createPairing } from '../../accounts/screens/pairing.ts';
import { SCREEN_COOKIE } from '../../accounts/screens/screen-secret.ts';
import { createScreens, type ScreenDeps } from '../../accounts/screens/screens.ts';
import { type CookieClient, cookieLine } from '../../accounts/sessions/session-cookie.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { cookieValues } from '../../domain/cookie-values.ts';
import type { ScreenVerdict } from '../../domain/verdict.ts';
import type { Store } from '../../store/open-store.ts';
import type { Credentials } from './credentials.ts';

export interface ActiveScreensDeps extends Pick<ScreenDeps, 'clock' | 'owesFactor'> {
  readonly store: Pick<Store, 'screens' | 'accounts'>;
  readonly credentials: Credentials;
}

/** The longest that a browser keeps a cookie: 400 days. It is set again while the screen is in use. */
const COOKIE_SECONDS = 400 * 86_400;

export function screensUnder({ auth }: Settings, { store, credentials, clock, owesFactor }: ActiveScreensDeps) {
  const { screenVerifier, codeMakers, badScreens } = credentials;
  const screens = createScreens({
    screenStore: store.screens,
    store: store.accounts,
    clock,
    grace: credentials.grace,
    roles: credentials.roleRegistry.active,
    recheckToken: credentials.tokens.recheck,
    authEnabled: auth.enabled,
    owesFactor,
  });
  const cookie = { name: SCREEN_COOKIE, secure: auth.cookie_secure, sameSite: 'lax', path: '/' } as const;
  const screenCookie = (secret: string, client: CookieClient): string =>
    cookieLine(cookie, secret, COOKIE_SECONDS, client);
  return {
    ...screens,
    verifyFrom: (secret: string, address: string): Promise<ScreenVerdict> =>
      screenVerifier.verify(screens, secret, address),
    pairing: createPairing({ screenStore: store.screens, clock, codeMakers, badSecrets: badScreens }),
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
