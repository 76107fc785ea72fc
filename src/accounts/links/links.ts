/** Links: what one is worth at this moment (SPEC 13). */
import { LRUCache } from 'lru-cache';
import type { User } from '../../domain/accounts/account.ts';
import type { Link, LinkStore } from '../../domain/accounts/link.ts';
import { type MaybePromise, mapMaybe } from '../../domain/async/maybe-promise.ts';
import { upTo } from '../../domain/bounded.ts';
import type { Caller } from '../../domain/caller.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import type { SharedThing } from '../../domain/shared-thing.ts';
import type { LinkFault, LinkVerdict } from '../../domain/verdict.ts';
import type { StoreGrace } from '../sessions/store-grace.ts';
import { linkCaller, type MakerDeps, makerNow } from './link-maker.ts';
import type { LinkPasses } from './link-pass.ts';
import { linkHash } from './link-secret.ts';

export interface LinkDeps extends Omit<MakerDeps, 'remembered'> {
  readonly linkStore: Pick<LinkStore, 'findLink'>;
  readonly passes: Pick<LinkPasses, 'viewerIn'>;
  readonly clock: Clock;
  readonly grace: StoreGrace;
  /** Whether `links.max_lifetime` is more than 0. */
  readonly isEnabled: boolean;
}

export type FoundLink =
  | { readonly kind: 'holds'; readonly link: Link; readonly viewer: string | undefined }
  | { readonly kind: 'invalid'; readonly reason: LinkFault };

export interface Links {
  /** What the link of that secret shows, whether it holds or not. */
  shared(secret: string): MaybePromise<SharedThing | undefined>;
  /** Whether it holds, but for its PIN. */
  look(secret: string, cookies: readonly string[]): Promise<FoundLink>;
  /** `cookies` are values of the cookie that the page sets. */
  verify(secret: string, cookies: readonly string[]): Promise<LinkVerdict>;
  /** The caller with the rights of now; undefined when the link is over. */
  recheck(caller: Caller): Promise<Caller | undefined>;
}

const REMEMBERED = 5000;
/** Another replica's clock may be ahead. */
const CLOCK_SKEW_SECONDS = 60;

export function createLinks(deps: LinkDeps): Links {
  const { linkStore, passes, clock, grace, isEnabled } = deps;
  // Unknown secrets are not remembered: they would evict real links.
  const links = grace.memory<Link | undefined>(REMEMBERED, {
    rowsOf: (_, link) => [`links ${link?.id}`],
    isKept: (link) => link !== undefined,
  });
  const users = grace.memory<User | undefined>(REMEMBERED, { rowsOf: (name) => [`users ${name}`] });
  const makerDeps: MakerDeps = { ...deps, remembered: users };
  /** Links whose end this process has seen: a clock that is set back does not bring them back. */
  const ended = new LRUCache<string, true>(upTo(REMEMBERED));

  const bySecret = (secret: string): MaybePromise<Link | undefined> => {
    const secretHash = isEnabled ? linkHash(secret) : undefined;
    return secretHash === undefined ? undefined : links(secretHash, () => linkStore.findLink({ secretHash }));
  };
  const faultOf = ({ id, createdAt, expiresAt, revokedAt }: Link): LinkFault | undefined => {
    const now = unixSeconds(clock);
    if (revokedAt !== null) return 'revoked';
    if (expiresAt <= now) ended.set(id, true);
    return ended.has(id) || now < createdAt - CLOCK_SKEW_SECONDS ? 'expired' : undefined;
  };
  const look = async (secret: string, cookies: readonly string[]): Promise<FoundLink> => {
    const link = await bySecret(secret);
    if (!link) return { kind: 'invalid', reason: 'unknown' };
    const fault = faultOf(link);
    if (fault) return { kind: 'invalid', reason: fault };
    return { kind: 'holds', link, viewer: passes.viewerIn(link, cookies, unixSeconds(clock)) };
  };

  return {
    look,
    shared: (secret) => mapMaybe(bySecret(secret), (link) => link?.thing),
    async verify(secret, cookies) {
      const found = await look(secret, cookies);
      if (found.kind === 'invalid') return found;
      const { link, viewer } = found;
      const maker = await makerNow(link.maker, unixSeconds(clock), makerDeps);
      if (!maker) return { kind: 'invalid', reason: 'maker-gone' };
      if (link.pinHash !== null && viewer === undefined) return { kind: 'invalid', reason: 'pin-missing' };
      return { kind: 'valid', caller: linkCaller(link, maker, viewer) };
    },
    async recheck({ credential }) {
      if (credential.kind !== 'link' || !isEnabled) return undefined;
      const { linkId: id, viewer } = credential;
      const link = await links(`id ${id}`, () => linkStore.findLink({ id }));
      if (!link || faultOf(link)) return undefined;
      const maker = await makerNow(link.maker, unixSeconds(clock), makerDeps);
      return maker && linkCaller(link, maker, viewer);
    },
  };
}
