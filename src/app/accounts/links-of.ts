/** Links as the configuration has them: what they are worth, their viewers and their PINs (SPEC 13). */
import type { Audit } from '../../accounts/audit.ts';
import type { LinkPasses } from '../../accounts/links/link-pass.ts';
import { createLinkViewers, type LinkViewers, type Visit } from '../../accounts/links/link-viewers.ts';
import { createLinks, type LinkDeps, type Links } from '../../accounts/links/links.ts';
import { createLoginLimiter, type MemoryLimiter, settled } from '../../accounts/login/login-limiter.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { type MaybePromise, mapMaybe } from '../../domain/async/maybe-promise.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import { agentOf, type RequestFacts } from '../../domain/request.ts';
import type { SharedThing } from '../../domain/shared-thing.ts';
import type { LinkVerdict } from '../../domain/verdict.ts';
import type { Client } from '../../gateway/decision/client.ts';
import type { Store } from '../../store/open-store.ts';
import type { Credentials } from './credentials.ts';

export interface ActiveLinks extends Links {
  /** What the link of that secret shows; counts a secret that is none against its sender's address. */
  sharedFrom(secret: string, address: string): MaybePromise<SharedThing | 'limited' | undefined>;
  /** Counts links that do not hold against their sender's address. */
  verifyFrom(secret: string, cookies: readonly string[], address: string): Promise<LinkVerdict>;
  readonly door: LinkViewers;
  /** Lets a viewer in whose request was admitted; gives the reason when the link is used up. */
  enter(caller: Caller, client: Client, request: RequestFacts): Promise<RefusalReason | undefined>;
}

export interface ActiveLinksDeps extends Pick<LinkDeps, 'clock' | 'owesFactor'> {
  readonly store: Pick<Store, 'links' | 'accounts'>;
  readonly credentials: Credentials;
  readonly passes: LinkPasses;
  /** The limiter of secrets that open nothing, by address: it bounds the questions to the store. */
  readonly linkLimiter: MemoryLimiter;
  readonly audit: Audit;
}

/** Old links, by address: a messenger that shows one again and again keeps no person out. */
export const createLinkLimiter = (clock: Clock): MemoryLimiter =>
  createLoginLimiter({ clauses: [{ count: 60, windowSeconds: 60, text: '60/minute' }], clock });

export function linksUnder({ links: { max_lifetime }, auth }: Settings, deps: ActiveLinksDeps): ActiveLinks {
  const { store, credentials, passes, clock, owesFactor } = deps;
  const linkStore = store.links;
  const links = createLinks({
    linkStore,
    store: store.accounts,
    passes,
    clock,
    grace: credentials.grace,
    roles: credentials.roleRegistry.active,
    recheckToken: credentials.tokens.recheck,
    authEnabled: auth.enabled,
    owesFactor,
    isEnabled: max_lifetime > 0,
  });
  const door = told(createLinkViewers({ linkStore, clock }), deps);
  return {
    ...links,
    door,
    sharedFrom(secret, address) {
      const place = deps.linkLimiter.reserve(address);
      if (place.kind === 'limited') return 'limited';
      return mapMaybe(links.shared(secret), (thing) => {
        if (thing) place.release();
        else place.keep();
        return thing;
      });
    },
    async verifyFrom(secret, cookies, address) {
      const place = deps.linkLimiter.reserve(address);
      if (place.kind === 'limited') return { kind: 'invalid', reason: 'limited' };
      const isRefused = (verdict: LinkVerdict) => verdict.kind === 'invalid' && verdict.reason !== 'pin-missing';
      return settled(place, () => links.verify(secret, cookies), isRefused);
    },
    async enter({ credential }, { address }, request) {
      if (credential.kind !== 'link') return undefined;
      const agent = agentOf(request);
      const visit = { linkId: credential.linkId, viewer: credential.viewer, address, agent };
      // The head of an answer shows nothing: messengers ask for it before they show an address.
      if (request.method === 'HEAD') return (await door.mayEnter(visit)) === 'may' ? undefined : 'link-over';
      const { kind } = await door.enter(visit);
      return kind === 'opened' || kind === 'known' ? undefined : 'link-over';
    },
  };
}

/** Each first opening by a viewer has its audit line; the first of all is told to the operator where the maker wished it. */
const told = (door: LinkViewers, { store, audit }: ActiveLinksDeps): LinkViewers => ({
  ...door,
  async enter(visit) {
    const outcome = await door.enter(visit);
    if (outcome.kind === 'opened') await tell(visit, outcome.count);
    return outcome;
    async function tell({ linkId, address: from, agent }: Visit, count: number): Promise<void> {
      const link = await store.links.findLink({ id: linkId });
      const isTold = count === 1 && link?.notifiesOnOpen === true;
      const by = { who: undefined, from, ...(agent !== undefined && { agent: agent.slice(0, LONGEST_AGENT) }) };
      const entry = {
        ...by,
        credential: `link:${linkId}`,
        verdict: 'allowed',
        linkId,
        ...(link && { user: link.maker.user }),
      } as const;
      audit({ ...entry, what: isTold ? 'link-first-opened' : 'link-opened' });
    }
  },
});

const LONGEST_AGENT = 200;
