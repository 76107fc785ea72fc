/** Links: what one is worth at this moment, what its page gives a browser, and how many viewers it lets in (SPEC 13). */
import { createHmac, hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { thingTarget } from '../../access/thing-paths.ts';
import { type Audit, shortText } from '../../accounts/audit.ts';
import { type MakerRights, secretHash } from '../../accounts/grants/grants.ts';
import { type MemoryLimiter, settled } from '../../accounts/login/login-limiter.ts';
import { isSame, type KeyPurpose } from '../../accounts/second-factor/sealing.ts';
import type { Services } from '../../app/services.ts';
import { clientKey } from '../../domain/addresses.ts';
import { type MaybePromise, mapMaybe } from '../../domain/async.ts';
import { upTo } from '../../domain/bounded.ts';
import type { Caller, SharedThing, Verdict } from '../../domain/caller.ts';
import { bothScopes, scopeOfNames } from '../../domain/camera-scope.ts';
import { unixSeconds } from '../../domain/clock.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import { headerLines, type RequestFacts, userAgent } from '../../domain/request.ts';
import { cookieValues } from '../../domain/sent-credentials.ts';
import type { Client } from '../../gateway/decision/request-facts.ts';
import { judged, verdictOutcome } from '../../identity/sources.ts';
import type { Store } from '../../store/open-store.ts';
import type { FeatureIdentities } from '../feature.ts';
import { longestLife } from './keys.ts';
import { type Openings, VIEWING_SECONDS, type Viewer } from './openings.ts';
import type { Link } from './tables.ts';

/** Links stand below, each at its secret. */
export const LINK_PATH = '/s';

type LinkFault = 'unknown' | 'expired' | 'revoked' | 'maker-gone' | 'pin-missing' | 'limited';
/** `link`: where it holds, but for its PIN. */
export type LinkVerdict = Verdict<LinkFault> & { readonly link?: Link };

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

const LIMITED = { kind: 'invalid', reason: 'limited' } as const;

export type Links = ReturnType<typeof createLinks>;

/** `linkLimiter`: of secrets that open nothing, by address; it bounds the questions to the store. Absent: nothing is counted. */
export function createLinks(
  { grants, makerRights, clock, settings }: Pick<Services, 'grants' | 'makerRights' | 'clock' | 'settings'>,
  passes: Pick<LinkPasses, 'viewerIn'>,
  linkLimiter?: MemoryLimiter,
) {
  const isEnabled = longestLife(settings) > 0;
  const bySecret = (secret: string): MaybePromise<Link | undefined> => {
    const digest = isEnabled ? secretHash(secret) : undefined;
    return digest === undefined ? undefined : grants.find('link', { secretHash: digest });
  };
  const faultOf = (link: Link): LinkFault | undefined => {
    if (link.revokedAt !== null) return 'revoked';
    const isUnborn = unixSeconds(clock) < link.createdAt - CLOCK_SKEW_SECONDS;
    return grants.isOver(link) || isUnborn ? 'expired' : undefined;
  };
  const callerOf = async (link: Link, viewer: string | undefined): Promise<Caller | undefined> => {
    const maker = await makerRights(link);
    // What closes the account, or the role by its hours, is told to its user and not to the visitors of a link.
    return maker && !maker.closed ? linkCaller(link, maker, viewer) : undefined;
  };
  const judge = async (secret: string, cookies: readonly string[]): Promise<LinkVerdict> => {
    const link = await bySecret(secret);
    const fault = link ? faultOf(link) : 'unknown';
    if (!link || fault) return { kind: 'invalid', reason: fault ?? 'unknown' };
    const viewer = passes.viewerIn(link, cookies, unixSeconds(clock));
    const caller = await callerOf(link, viewer);
    if (!caller) return { kind: 'invalid', reason: 'maker-gone' };
    if (link.pinHash !== null && viewer === undefined) return { kind: 'invalid', reason: 'pin-missing', link };
    return { kind: 'valid', caller, link };
  };
  /** `isBad`: the answer counts against the address. */
  const counted = <Answer>(
    address: string,
    ask: () => MaybePromise<Answer>,
    isBad: (answer: Answer) => boolean,
  ): MaybePromise<Answer | 'limited'> => {
    const place = linkLimiter?.reserve(address);
    if (place?.kind === 'limited') return 'limited';
    return place ? settled(place, async () => ask(), isBad) : ask();
  };
  return {
    /** `cookies`: values of the cookie that the page sets. */
    async verify(secret: string, cookies: readonly string[], address: string): Promise<LinkVerdict> {
      const isBad = (verdict: LinkVerdict) => verdict.kind === 'invalid' && verdict.reason !== 'pin-missing';
      const verdict = await counted(address, () => judge(secret, cookies), isBad);
      return verdict === 'limited' ? LIMITED : verdict;
    },
    /** What the link of that secret shows, whether it holds or not. */
    shared: (secret: string, address: string): MaybePromise<SharedThing | 'limited' | undefined> =>
      mapMaybe(
        counted(
          address,
          () => bySecret(secret),
          (link) => !link,
        ),
        (link) => (link === 'limited' ? link : link?.thing),
      ),
    /** The caller with the rights of now; undefined when the link is over. */
    async recheck({ credential }: Caller): Promise<Caller | undefined> {
      if (credential.kind !== 'link' || !isEnabled) return undefined;
      const link = await grants.find('link', { id: credential.linkId });
      return link && !faultOf(link) ? callerOf(link, credential.viewer) : undefined;
    },
  };
}

// biome-ignore format: a table
const REASONS: Readonly<Record<LinkFault, RefusalReason>> = {
  unknown: 'link-over', expired: 'link-over', revoked: 'link-over', 'maker-gone': 'link-over',
  'pin-missing': 'link-pin-missing', limited: 'links-limited',
};

/** The first of the sources: a request below `/s/{secret}/…` is judged as the link, whatever other credentials came along. `counted`: for the requests of clients. */
export const linkIdentities = (links: Links, counted = links): FeatureIdentities => ({
  sources: [
    {
      slot: 'first',
      make:
        ({ addressOf, trace, isNoted }) =>
        (request) => {
          const { pathSecret } = request;
          if (pathSecret === undefined) return { kind: 'silent' };
          const cookies = cookieValues(headerLines(request, 'cookie'), PASS_COOKIE);
          const { verify } = isNoted ? counted : links;
          return mapMaybe(verify(pathSecret, cookies, addressOf(request)), (verdict) => {
            trace?.({ source: 'link', outcomes: [verdictOutcome(verdict)] }, request);
            return judged(verdict, (fault) => REASONS[fault]);
          });
        },
    },
  ],
  rechecks: { link: links.recheck },
  standsFor: (isNoted) => (segments, address, things) => {
    const [, pathSecret = '', ...file] = segments;
    const { shared } = isNoted ? counted : links;
    return mapMaybe(shared(pathSecret, address), (thing) => {
      if (thing === 'limited') return 'links-limited';
      const target = thing && thingTarget(things, thing, file);
      return target === undefined ? 'link-over' : { target, pathSecret };
    });
  },
});

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

export type Viewers = ReturnType<typeof createViewers>;

/** Counts each viewer once an hour, and lets no more in than a link has uses. */
export function createViewers(
  { store, clock, audit }: Pick<Services, 'store' | 'clock' | 'audit'>,
  openings: Openings,
) {
  /** When a viewer was let in, by link: a video is asked for in many ranges. */
  const inside = new LRUCache<string, number>(upTo(REMEMBERED_VIEWERS));
  const isLetIn = async (visit: Visit): Promise<boolean> => {
    const now = unixSeconds(clock);
    const viewer = toViewer(visit);
    const key = `${visit.linkId} ${viewer.id ?? viewer.client}`;
    const since = inside.get(key);
    if (since !== undefined && since <= now && now - since < VIEWING_SECONDS) return true;
    const outcome = await openings.openLink(visit.linkId, viewer, now);
    if (outcome.kind === 'opened') inside.set(key, now);
    if (outcome.kind === 'known') inside.set(key, outcome.since);
    if (outcome.kind === 'opened') await recordOpening(visit, outcome.count, store, audit);
    return outcome.kind === 'opened' || outcome.kind === 'known';
  };
  /** Whether the viewer would be let in: for what shows nothing yet. */
  const mayEnter = async (visit: Visit): Promise<boolean> =>
    (await openings.mayOpen(visit.linkId, toViewer(visit), unixSeconds(clock))) === 'may';
  return {
    mayEnter,
    /** Lets a viewer in whose request was admitted; gives the reason when the link is used up. */
    async enter(
      { credential }: Caller,
      { address }: Pick<Client, 'address'>,
      request: RequestFacts,
    ): Promise<RefusalReason | undefined> {
      if (credential.kind !== 'link') return undefined;
      const visit = { linkId: credential.linkId, viewer: credential.viewer, address, agent: userAgent(request) };
      // The head of an answer shows nothing: messengers ask for it before they show an address.
      return (await (request.method === 'HEAD' ? mayEnter : isLetIn)(visit)) ? undefined : 'link-over';
    },
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

/** The purpose of their key. */
export const PINS: KeyPurpose = 'postern: PINs and cookies of links, 1';

export type LinkPasses = ReturnType<typeof createLinkPasses>;

const DIGITS = /^\d+$/;
/** What is kept of a PIN begins so where it has digits alone: phones then show the keyboard for them. */
const OF_DIGITS = '9.';
export const hasDigitsAlone = ({ pinHash }: Link): boolean => pinHash?.startsWith(OF_DIGITS) === true;

/** The cookie's path is the link's, so that a browser shows it to no other. */
export const PASS_COOKIE = 'postern_link';
export const PASS_SECONDS = 86_400;

const VIEWER_BYTES = 12;
const PASS = /^(?<viewer>[A-Za-z0-9_-]{16})\.(?<until>\d{1,12})\.(?<mac>[A-Za-z0-9_-]{43})$/;
const MOST_COOKIES = 8;

/**
 * A pass is a signed cookie for one link alone, which knows the viewer again and says that the PIN was given. A PIN has few digits, and no slow hash would save it from one who has read the store. So its digest has a key, which is
 * not in the store: made from the secret that sessions are signed with. Checking it costs nothing, so that strangers cannot
 * keep the server busy with guesses.
 */
export function createLinkPasses(key: Uint8Array) {
  const macOf = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');
  const passMac = ({ id, pinHash }: Link, viewer: string, until: string): string =>
    macOf(`pass ${id} ${viewer} ${until} ${pinHash ?? ''}`);
  const pinHash = (linkId: string, pin: string): string =>
    `${DIGITS.test(pin) ? OF_DIGITS : ''}${macOf(`pin ${linkId} ${pin.normalize('NFC')}`)}`;
  return {
    /** What is kept of a PIN. */
    pinHash,
    isPin: (link: Link, pin: string): boolean => link.pinHash !== null && isSame(pinHash(link.id, pin), link.pinHash),
    /** Issues a pass to a viewer who has given the PIN, where the link has one. `until`: Unix seconds. */
    issue(link: Link, until: number): string {
      const viewer = randomBytes(VIEWER_BYTES).toString('base64url');
      return `${viewer}.${until}.${passMac(link, viewer, String(until))}`;
    },
    /** The viewer that one of the cookies names; undefined when none of them holds for this link, with its PIN. */
    viewerIn(link: Link, cookies: readonly string[], now: number): string | undefined {
      for (const cookie of cookies.slice(0, MOST_COOKIES)) {
        const { viewer = '', until = '', mac = '' } = PASS.exec(cookie)?.groups ?? {};
        if (viewer !== '' && Number(until) > now && isSame(mac, passMac(link, viewer, until))) return viewer;
      }
      return undefined;
    },
  };
}
