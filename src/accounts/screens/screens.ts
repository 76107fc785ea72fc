/** Screens: what the cookie of a display is worth at this moment (SPEC 18). */
import { LRUCache } from 'lru-cache';
import type { User } from '../../domain/accounts/account.ts';
import type { Screen, ScreenStore, ScreenUse } from '../../domain/accounts/screen.ts';
import { upTo } from '../../domain/bounded.ts';
import type { Caller } from '../../domain/caller.ts';
import { bothScopes, NO_CAMERAS, scopeOf, scopeOfNames } from '../../domain/camera-scope.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { ADMIN, VIEWER } from '../../domain/names.ts';
import type { Verb } from '../../domain/policy/policy.ts';
import type { ScreenFault, ScreenVerdict } from '../../domain/verdict.ts';
import { createCoalescedWrites } from '../coalesced-writes.ts';
import { type MakerDeps, type MakerRights, makerRights } from '../links/link-maker.ts';
import type { MemoryLimiter } from '../login/login-limiter.ts';
import type { StoreGrace } from '../sessions/store-grace.ts';
import { secretHash } from './screen-secret.ts';

export interface ScreenDeps extends Omit<MakerDeps, 'remembered'> {
  readonly screenStore: Pick<ScreenStore, 'findScreen'>;
  readonly clock: Clock;
  readonly grace: StoreGrace;
}

export interface Screens {
  verify(secret: string): Promise<ScreenVerdict>;
  /** The caller with the rights of now; undefined when the screen has ended. */
  recheck(caller: Caller): Promise<Caller | undefined>;
  /** What the maker may see; undefined when the maker is gone. Outside of the hours of its role it is `closed`. */
  makerOf(screen: Pick<Screen, 'user' | 'userCreatedAt'>): Promise<MakerRights | undefined>;
}

const REMEMBERED = 5000;

export function createScreens(deps: ScreenDeps): Screens {
  const { screenStore, clock, grace } = deps;
  // Unknown secrets are not remembered: they would evict real screens.
  const screens = grace.memory<Screen | undefined>(REMEMBERED, {
    rowsOf: (_, screen) => [`screens ${screen?.id}`],
    isKept: (screen) => screen !== undefined,
  });
  const users = grace.memory<User | undefined>(REMEMBERED, { rowsOf: (name) => [`users ${name}`] });
  const makerDeps: MakerDeps = { ...deps, remembered: users };
  /** Screens whose end this process has seen: a clock that is set back does not bring them back. */
  const ended = new LRUCache<string, true>(upTo(REMEMBERED));

  const isOver = ({ id, endsAt }: Screen): boolean => {
    if (endsAt !== null && endsAt <= unixSeconds(clock)) ended.set(id, true);
    return ended.has(id);
  };
  const makerOf: Screens['makerOf'] = async ({ user, userCreatedAt }) => {
    const account = { user, userCreatedAt, tokenId: null, role: VIEWER };
    const maker = await makerRights(account, unixSeconds(clock), makerDeps);
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
      const hash = secretHash(secret);
      const found =
        hash === undefined ? undefined : await screens(hash, () => screenStore.findScreen({ secretHash: hash }));
      if (!found) return invalid('unknown');
      if (isOver(found)) return invalid('expired');
      const caller = await callerOf(found);
      return caller ? { kind: 'valid', caller } : invalid('maker-gone');
    },
    async recheck({ credential }) {
      if (credential.kind !== 'screen') return undefined;
      const { screenId: id } = credential;
      const screen = await screens(`id ${id}`, () => screenStore.findScreen({ id }));
      return screen && !isOver(screen) ? callerOf(screen) : undefined;
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

export interface ScreenVerifierDeps {
  readonly screenStore: Pick<ScreenStore, 'noteUses'>;
  readonly badSecrets: MemoryLimiter;
  readonly clock: Clock;
  readonly onFault: (fault: unknown) => void;
}

export type ScreenVerifier = ReturnType<typeof createScreenVerifier>;

/** Verifies cookies of clients: notes the use of good ones, and limits bad ones by address. It outlives a reload. */
export function createScreenVerifier({ screenStore, badSecrets, clock, onFault }: ScreenVerifierDeps) {
  const uses = createCoalescedWrites<ScreenUse>({ write: screenStore.noteUses, clock, onFault });
  return {
    flush: uses.flush,
    close: uses.close,
    /** A good one passes, however many bad ones come from its address: others may be behind the same router. */
    async verify(screens: Pick<Screens, 'verify'>, secret: string, address: string): Promise<ScreenVerdict> {
      const verdict = await screens.verify(secret);
      if (verdict.kind === 'invalid') {
        const place = badSecrets.reserve(address);
        if (place.kind === 'limited') return { kind: 'invalid', reason: 'limited' };
        place.keep();
        return verdict;
      }
      if (verdict.caller.credential.kind !== 'screen') return verdict;
      const { screenId: id } = verdict.caller.credential;
      uses.note(id, () => ({ id, at: unixSeconds(clock), from: address }));
      return verdict;
    },
  };
}
