/** Screens: what the cookie of a display is worth at this moment, and the source of identity that asks it (SPEC 18). */
import { type GrantUses, limitedWhenBad, type MakerRights, secretHash } from '../../accounts/grants/grants.ts';
import type { MemoryLimiter } from '../../accounts/login/login-limiter.ts';
import { type CookieClient, cookieLine } from '../../accounts/sessions/session-jwt.ts';
import type { Services } from '../../app/services.ts';
import { allMaybe, mapMaybe } from '../../domain/async.ts';
import type { Caller, Verdict } from '../../domain/caller.ts';
import { bothScopes, NO_CAMERAS, scopeOfNames, toScope } from '../../domain/camera-scope.ts';
import { ADMIN, VIEWER } from '../../domain/names.ts';
import type { Verb } from '../../domain/policy.ts';
import { headerLines } from '../../domain/request.ts';
import { cookieValues } from '../../domain/sent-credentials.ts';
import { judged, type SlottedSource, verdictOutcome } from '../../identity/sources.ts';
import type { ScreenCodes } from './codes.ts';
import type { Screen } from './tables.ts';

type ScreenFault = 'unknown' | 'expired' | 'maker-gone';
type ScreenVerdict = Verdict<ScreenFault>;

const COOKIE = 'postern_screen';
/** The longest that a browser keeps a cookie: 400 days. It is set again while the screen is in use. */
const COOKIE_SECONDS = 400 * 86_400;

export type Screens = ReturnType<typeof createScreens>;

/** What the routes of screens take. */
export type ScreenServices = Services & {
  readonly screens: Screens;
  readonly codes: ScreenCodes;
  /** The limiter of codes that are made, by address. */
  readonly codeMakers: MemoryLimiter;
  /** That of secrets that are no screens, by address: it bounds the questions to the store. */
  readonly screenLimiter: MemoryLimiter;
};

export function createScreens({
  grants,
  makerRights,
  settings,
}: Pick<Services, 'grants' | 'makerRights' | 'settings'>) {
  /** What the maker may see; undefined when the maker is gone. Outside of the hours of its role it is `closed`. */
  const makerOf = async ({ user, userCreatedAt }: Screen) => {
    const maker = await makerRights({ user, userCreatedAt, tokenId: null, role: VIEWER });
    return maker?.closed && maker.closed.reason !== 'outside-hours' ? undefined : maker;
  };
  /** Hours come back by themselves, so outside of them the screen lasts and shows nothing: a display cannot log in again. */
  const callerOf = async (screen: Screen): Promise<Caller | undefined> => {
    const maker = await makerOf(screen);
    const caller = maker && screenCaller(screen, maker);
    return caller && maker.closed ? { ...caller, scope: NO_CAMERAS } : caller;
  };
  const invalid = (reason: ScreenFault): ScreenVerdict => ({ kind: 'invalid', reason });
  const verify = async (secret: string): Promise<ScreenVerdict> => {
    const digest = secretHash(secret);
    const found = digest === undefined ? undefined : await grants.find('screen', { secretHash: digest });
    if (!found) return invalid('unknown');
    if (grants.isOver(found)) return invalid('expired');
    const caller = await callerOf(found);
    return caller ? { kind: 'valid', caller } : invalid('maker-gone');
  };
  const cookie = { name: COOKIE, secure: settings.auth.cookie_secure, sameSite: 'lax', path: '/' } as const;
  const screenCookie = (secret: string, client: CookieClient): string =>
    cookieLine(cookie, secret, COOKIE_SECONDS, client);

  return {
    makerOf,
    verify,
    /** The caller with the rights of now; undefined when the screen has ended. */
    async recheck({ credential }: Caller): Promise<Caller | undefined> {
      if (credential.kind !== 'screen') return undefined;
      const screen = await grants.find('screen', { id: credential.screenId });
      return screen && !grants.isOver(screen) ? callerOf(screen) : undefined;
    },
    screenCookie,
    /**
     * The line that clears the cookie of a screen that is over for good: it would count as a bad one at each poll. One whose maker may
     * see nothing at the moment is kept.
     */
    async cookieCleared(header: string, client: CookieClient): Promise<string | undefined> {
      const verdicts = await Promise.all(cookieValues(header, COOKIE).map(verify));
      const isOver = verdicts.every((verdict) => verdict.kind === 'invalid' && verdict.reason !== 'maker-gone');
      return verdicts.length > 0 && isOver ? cookieLine(cookie, '', 0, client) : undefined;
    },
    /** The cookie of before, for as long again, so that the display needs no keyboard: the line of a header in which it came. */
    async cookieAgain(header: string, client: CookieClient): Promise<string | undefined> {
      for (const secret of cookieValues(header, COOKIE))
        if ((await verify(secret)).kind === 'valid') return screenCookie(secret, client);
      return undefined;
    },
  };
}

const UNREAD = 'the cookie of the screen says who is calling, and no header counts';

/**
 * The last of the sources, so that a person who is logged in stays that person. A cookie of before may stand beside the one of
 * now: the first that holds counts. `noting`: good ones are noted as used, and bad ones limited by address.
 */
export const screenSource = (
  { verify }: Screens,
  noting?: { readonly grantUses: Pick<GrantUses, 'note'>; readonly screenLimiter: MemoryLimiter },
): SlottedSource => ({
  slot: 'after-session',
  make:
    ({ addressOf, trace, isNoted }) =>
    (request) => {
      const noted = async (secret: string) => {
        const verdict = await verify(secret);
        if (!noting || !isNoted) return verdict;
        const address = addressOf(request);
        if (verdict.kind === 'valid' && verdict.caller.credential.kind === 'screen')
          noting.grantUses.note(verdict.caller.credential.screenId, address);
        return limitedWhenBad(verdict, address, noting.screenLimiter);
      };
      const secrets = cookieValues(headerLines(request, 'cookie'), COOKIE);
      return mapMaybe(allMaybe(secrets.map(noted)), (verdicts) => {
        const verdict = verdicts.find(({ kind }) => kind === 'valid') ?? verdicts[0];
        if (!verdict) return { kind: 'silent' };
        trace?.({ source: 'screen', outcomes: [verdictOutcome(verdict)] }, request, UNREAD);
        return judged(verdict, (fault) => (fault === 'limited' ? 'screens-limited' : 'screen-over'));
      });
    },
});

/** A screen shows what is now, and acts on nothing. */
const NEVER: readonly Verb[] = ['history', 'export', 'ptz', 'talk'];
const ALL_THAT_THE_MAKER_SEES = toScope(['*']);

/**
 * The caller of a screen: its maker, narrowed to its cameras, live. Undefined when none is left. It is limited to cameras even
 * where its maker sees all, and never an admin: so a screen gets nothing that is only for callers who see all cameras.
 */
function screenCaller(screen: Screen, maker: MakerRights): Caller | undefined {
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
