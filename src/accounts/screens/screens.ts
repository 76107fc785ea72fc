/** Screens: what the cookie of a display is worth at this moment (SPEC 18). */
import type { Screen, ScreenUse } from '../../domain/accounts/screen.ts';
import type { Caller, ScreenFault, ScreenVerdict } from '../../domain/caller.ts';
import { bothScopes, NO_CAMERAS, scopeOf, scopeOfNames } from '../../domain/camera-scope.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { ADMIN, VIEWER } from '../../domain/names.ts';
import type { Verb } from '../../domain/policy.ts';
import type { Clause } from '../../domain/rate-limit.ts';
import { cookieValues } from '../../domain/sent-credentials.ts';
import { createCoalescedWrites } from '../coalesced-writes.ts';
import {
  createEnds,
  createMakers,
  type GrantServices,
  limitedWhenBad,
  type MakerRights,
  rememberedGrants,
  secretHash,
} from '../grants/grants.ts';
import { createLoginLimiter } from '../login/login-limiter.ts';
import { type CookieClient, cookieLine } from '../sessions/session-cookie.ts';

export interface Screens {
  verify(secret: string): Promise<ScreenVerdict>;
  /** The caller with the rights of now; undefined when the screen has ended. */
  recheck(caller: Caller): Promise<Caller | undefined>;
  /** What the maker may see; undefined when the maker is gone. Outside of the hours of its role it is `closed`. */
  makerOf(screen: Pick<Screen, 'user' | 'userCreatedAt'>): Promise<MakerRights | undefined>;
}

export function createScreens(services: GrantServices): Screens {
  const { store, clock, grace } = services;
  const screens = rememberedGrants<Screen>('screens', grace);
  const rightsOf = createMakers(services);
  const isOver = createEnds(clock);

  const makerOf: Screens['makerOf'] = async ({ user, userCreatedAt }) => {
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
    async verify(secret) {
      const digest = secretHash(secret);
      const found =
        digest === undefined
          ? undefined
          : await screens(digest, () => store.screens.findScreen({ secretHash: digest }));
      if (!found) return invalid('unknown');
      if (isOver(found.id, found.endsAt)) return invalid('expired');
      const caller = await callerOf(found);
      return caller ? { kind: 'valid', caller } : invalid('maker-gone');
    },
    async recheck({ credential }) {
      if (credential.kind !== 'screen') return undefined;
      const { screenId: id } = credential;
      const screen = await screens(`id ${id}`, () => store.screens.findScreen({ id }));
      return screen && !isOver(screen.id, screen.endsAt) ? callerOf(screen) : undefined;
    },
  };
}

/** A screen shows what is now, and acts on nothing. */
const NEVER: readonly Verb[] = ['history', 'export', 'ptz', 'talk'];
const ALL_THAT_THE_MAKER_SEES = scopeOf(['*']);

/**
 * The caller of a screen: its maker, narrowed to its cameras, live. Undefined when none is left. It is limited to cameras even
 * where its maker sees all, and never an admin: so nothing that is for those who see all can be for a screen.
 */
export function screenCaller(screen: Screen, maker: MakerRights): Caller | undefined {
  const { cameras, id: screenId, name: screenName, endsAt } = screen;
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
    credential: { kind: 'screen', screenId, screenName, ...(endsAt !== null && { expiresAt: endsAt }) },
  };
}

export const SCREEN_COOKIE = 'postern_screen';
/** The longest that a browser keeps a cookie: 400 days. It is set again while the screen is in use. */
const COOKIE_SECONDS = 400 * 86_400;
const BAD_SCREEN_CLAUSES: readonly Clause[] = [{ count: 60, windowSeconds: 60, text: '60/minute' }];

/** What outlives a reload: the uses that are still to be written, and the limiter of secrets that are none, by address. */
export const createScreenUses = ({
  store,
  clock,
  steadyClock,
  onFault,
}: {
  readonly store: Pick<GrantServices['store'], 'screens'>;
  readonly clock: Clock;
  readonly steadyClock: Clock;
  readonly onFault: (fault: unknown) => void;
}) => ({
  ...createCoalescedWrites<ScreenUse>({ write: store.screens.noteUses, clock, onFault }),
  badScreens: createLoginLimiter({ clauses: BAD_SCREEN_CLAUSES, clock: steadyClock }),
});

export type ScreenUses = ReturnType<typeof createScreenUses>;

/** Screens for displays: with their cookie. `secure`: `auth.cookie_secure`. */
export function openScreens(
  screens: Screens,
  {
    clock,
    screenUses,
    secure,
  }: { readonly clock: Clock; readonly screenUses: ScreenUses; readonly secure: 'auto' | boolean },
) {
  const cookie = { name: SCREEN_COOKIE, secure, sameSite: 'lax', path: '/' } as const;
  const screenCookie = (secret: string, client: CookieClient): string =>
    cookieLine(cookie, secret, COOKIE_SECONDS, client);
  return {
    ...screens,
    /** Notes the use of good ones, and limits bad ones by address. */
    async verifyFrom(secret: string, address: string): Promise<ScreenVerdict> {
      const verdict = await screens.verify(secret);
      if (verdict.kind === 'valid' && verdict.caller.credential.kind === 'screen') {
        const { screenId: id } = verdict.caller.credential;
        screenUses.note(id, () => ({ id, at: unixSeconds(clock), from: address }));
      }
      return limitedWhenBad(verdict, address, screenUses.badScreens);
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
