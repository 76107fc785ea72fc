/** Links: what one is worth at this moment, and how many viewers it lets in (SPEC 13). */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Audit, shortText } from '../../accounts/audit.ts';
import { createMakers, type GrantServices, type MakerRights, secretHash } from '../../accounts/grants/grants.ts';
import { clientKey } from '../../accounts/login/client-key.ts';
import { createLoginLimiter, type MemoryLimiter, settled } from '../../accounts/login/login-limiter.ts';
import { type Link, type OpeningOutcome, VIEWING_SECONDS, type Viewer } from '../../domain/accounts/grant.ts';
import { type MaybePromise, mapMaybe } from '../../domain/async.ts';
import { upTo } from '../../domain/bounded.ts';
import type { Caller, LinkFault, LinkVerdict, SharedThing } from '../../domain/caller.ts';
import { bothScopes, scopeOfNames } from '../../domain/camera-scope.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import { type RequestFacts, userAgent } from '../../domain/request.ts';
import type { Store } from '../../store/open-store.ts';
import type { LinkPasses } from './link-pass.ts';

export type FoundLink =
  | { readonly kind: 'holds'; readonly link: Link; readonly viewer: string | undefined }
  | { readonly kind: 'invalid'; readonly reason: LinkFault };

export type Links = ReturnType<typeof createLinks>;

/** Another replica's clock may be ahead. */
const CLOCK_SKEW_SECONDS = 60;

/** The caller of a link: its maker, narrowed to one camera and one thing. */
export function linkCaller(
  link: Pick<Link, 'id' | 'thing' | 'expiresAt'> & Partial<Pick<Link, 'name'>>,
  maker: MakerRights,
  viewer?: string,
): Caller {
  const { id: linkId, name, thing, expiresAt } = link;
  const own = { ...(name && { linkName: name }), ...(viewer !== undefined && { viewer }) };
  return {
    ...maker,
    scope: bothScopes(maker.scope, scopeOfNames([thing.camera])),
    credential: { kind: 'link', linkId, thing, expiresAt, ...own },
  };
}

/** `isEnabled`: `links.max_lifetime` is more than 0. */
export function createLinks(
  services: Omit<GrantServices, 'store'> & {
    readonly passes: Pick<LinkPasses, 'viewerIn'>;
    readonly isEnabled: boolean;
  },
) {
  const { grants, passes, clock, isEnabled } = services;
  const rightsOf = createMakers(services);

  const bySecret = (secret: string): MaybePromise<Link | undefined> => {
    const digest = isEnabled ? secretHash(secret) : undefined;
    return digest === undefined ? undefined : grants.find('link', { secretHash: digest });
  };
  const faultOf = (link: Link): LinkFault | undefined => {
    if (link.revokedAt !== null) return 'revoked';
    const isUnborn = unixSeconds(clock) < link.createdAt - CLOCK_SKEW_SECONDS;
    return grants.isOver(link) || isUnborn ? 'expired' : undefined;
  };
  /** Whether it holds, but for its PIN. `cookies` are values of the cookie that the page sets. */
  const look = async (secret: string, cookies: readonly string[]): Promise<FoundLink> => {
    const link = await bySecret(secret);
    if (!link) return { kind: 'invalid', reason: 'unknown' };
    const fault = faultOf(link);
    if (fault) return { kind: 'invalid', reason: fault };
    return { kind: 'holds', link, viewer: passes.viewerIn(link, cookies, unixSeconds(clock)) };
  };
  const callerOf = async (link: Link, viewer: string | undefined): Promise<Caller | undefined> => {
    const maker = await rightsOf(link);
    // What closes the account, or the role by its hours, is told to its user and not to the visitors of a link.
    return maker && !maker.closed ? linkCaller(link, maker, viewer) : undefined;
  };

  return {
    look,
    /** What the link of that secret shows, whether it holds or not. */
    shared: (secret: string): MaybePromise<SharedThing | undefined> =>
      mapMaybe(bySecret(secret), (link) => link?.thing),
    async verify(secret: string, cookies: readonly string[]): Promise<LinkVerdict> {
      const found = await look(secret, cookies);
      if (found.kind === 'invalid') return found;
      const { link, viewer } = found;
      const caller = await callerOf(link, viewer);
      if (!caller) return { kind: 'invalid', reason: 'maker-gone' };
      if (link.pinHash !== null && viewer === undefined) return { kind: 'invalid', reason: 'pin-missing' };
      return { kind: 'valid', caller };
    },
    /** The caller with the rights of now; undefined when the link is over. */
    async recheck({ credential }: Caller): Promise<Caller | undefined> {
      if (credential.kind !== 'link' || !isEnabled) return undefined;
      const link = await grants.find('link', { id: credential.linkId });
      return link && !faultOf(link) ? callerOf(link, credential.viewer) : undefined;
    },
  };
}

/** Old links, by address: a messenger that shows one again and again keeps no person out. */
export const createLinkLimiter = (clock: Clock): MemoryLimiter =>
  createLoginLimiter({ clauses: [{ count: 60, windowSeconds: 60, text: '60/minute' }], clock });

export type OpenLinks = ReturnType<typeof openLinks>;

/** Links for their visitors: secrets that open nothing are counted by address, and viewers up to the uses of a link. */
export function openLinks(
  links: Links,
  services: {
    readonly store: Pick<Store, 'grants' | 'openings'>;
    readonly clock: Clock;
    /** It bounds the questions to the store. */
    readonly linkLimiter: MemoryLimiter;
    readonly audit: Audit;
  },
) {
  const { linkLimiter } = services;
  const viewers = createLinkViewers(services);
  return {
    ...links,
    mayEnter: viewers.mayEnter,
    /** What the link of that secret shows; counts a secret that is none against its sender's address. */
    sharedFrom(secret: string, address: string): MaybePromise<SharedThing | 'limited' | undefined> {
      const place = linkLimiter.reserve(address);
      if (place.kind === 'limited') return 'limited';
      return mapMaybe(links.shared(secret), (thing) => {
        if (thing) place.release();
        else place.keep();
        return thing;
      });
    },
    /** Counts links that do not hold against their sender's address. */
    async verifyFrom(secret: string, cookies: readonly string[], address: string): Promise<LinkVerdict> {
      const place = linkLimiter.reserve(address);
      if (place.kind === 'limited') return { kind: 'invalid', reason: 'limited' };
      const isRefused = (verdict: LinkVerdict) => verdict.kind === 'invalid' && verdict.reason !== 'pin-missing';
      return settled(place, () => links.verify(secret, cookies), isRefused);
    },
    /** Lets a viewer in whose request was admitted; gives the reason when the link is used up. */
    async enter(
      { credential }: Caller,
      { address }: { readonly address: string },
      request: RequestFacts,
    ): Promise<RefusalReason | undefined> {
      if (credential.kind !== 'link') return undefined;
      const visit = { linkId: credential.linkId, viewer: credential.viewer, address, agent: userAgent(request) };
      // The head of an answer shows nothing: messengers ask for it before they show an address.
      if (request.method === 'HEAD') return (await viewers.mayEnter(visit)) === 'may' ? undefined : 'link-over';
      const { kind } = await viewers.enter(visit);
      return kind === 'opened' || kind === 'known' ? undefined : 'link-over';
    },
  };
}

/** One request for what a link shows. */
export interface Visit {
  readonly linkId: string;
  /** The viewer's id from the cookie of the link. */
  readonly viewer: string | undefined;
  readonly address: string;
  readonly agent: string | undefined;
}

const REMEMBERED_VIEWERS = 10_000;
const LONGEST_AGENT = 200;
const DIGEST_CHARACTERS = 22;

/** Counts each viewer once an hour, and lets no more in than a link has uses. */
function createLinkViewers({ store, clock, audit }: Omit<Parameters<typeof openLinks>[1], 'linkLimiter'>) {
  /** When a viewer was let in, by link: a video is asked for in many ranges. */
  const inside = new LRUCache<string, number>(upTo(REMEMBERED_VIEWERS));
  return {
    async enter(visit: Visit): Promise<OpeningOutcome> {
      const now = unixSeconds(clock);
      const viewer = toViewer(visit);
      const key = `${visit.linkId} ${viewer.id ?? viewer.client}`;
      const since = inside.get(key);
      if (since !== undefined && since <= now && now - since < VIEWING_SECONDS) return { kind: 'known', since };
      const outcome = await store.openings.openLink(visit.linkId, viewer, now);
      if (outcome.kind === 'opened') inside.set(key, now);
      if (outcome.kind === 'known') inside.set(key, outcome.since);
      if (outcome.kind === 'opened') await recordOpening(visit, outcome.count, store, audit);
      return outcome;
    },
    /** Whether `enter` would let the viewer in: for what shows nothing yet. */
    mayEnter: (visit: Visit) => store.openings.mayOpen(visit.linkId, toViewer(visit), unixSeconds(clock)),
  };
}

/** Each first opening by a viewer has its audit line; the first of all is told to the operator where the maker wished it. */
async function recordOpening(
  { linkId, address: from, agent }: Visit,
  count: number,
  { grants }: Pick<Store, 'grants'>,
  audit: Audit,
): Promise<void> {
  const link = await grants.find('link', { id: linkId });
  audit({
    what: count === 1 && link?.notifiesOnOpen ? 'link-first-opened' : 'link-opened',
    who: undefined,
    from,
    ...(agent !== undefined && { agent: agent.slice(0, LONGEST_AGENT) }),
    credential: `link:${linkId}`,
    verdict: 'allowed',
    linkId,
    ...(link && { user: link.user }),
  });
}

/**
 * The viewer of a visit. Without a cookie it is an address and a program: two phones of one kind behind one router are then
 * one, and a phone that changes its network is two.
 */
function toViewer({ linkId, viewer, address, agent }: Visit): Viewer {
  const client = hash('sha256', JSON.stringify([linkId, clientKey(address), agent ?? '']), 'base64url');
  const shown = agent === undefined ? null : shortText(agent);
  return { id: viewer, client: client.slice(0, DIGEST_CHARACTERS), address, agent: shown };
}
