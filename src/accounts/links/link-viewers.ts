/** The viewers of links: counts each once an hour, and lets no more in than a link has uses (SPEC 13). */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type LinkStore, type OpeningOutcome, VIEWING_SECONDS, type Viewer } from '../../domain/accounts/link.ts';
import { upTo } from '../../domain/bounded.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { shortText } from '../audit.ts';
import { clientKey } from '../login/client-key.ts';

/** One request for what a link shows. */
export interface Visit {
  readonly linkId: string;
  /** The viewer's id from the cookie of the link. */
  readonly viewer: string | undefined;
  readonly address: string;
  readonly agent: string | undefined;
}

export interface LinkViewers {
  /** Counts a new viewer. */
  enter(visit: Visit): Promise<OpeningOutcome>;
  /** Whether `enter` would let the viewer in: for what shows nothing yet. */
  mayEnter(visit: Visit): Promise<'may' | 'spent' | 'over'>;
}

export interface LinkViewersDeps {
  readonly linkStore: Pick<LinkStore, 'openLink' | 'mayOpen'>;
  readonly clock: Clock;
}

const REMEMBERED_VIEWERS = 10_000;

export function createLinkViewers({ linkStore, clock }: LinkViewersDeps): LinkViewers {
  /** When a viewer was let in, by link: a video is asked for in many ranges. */
  const inside = new LRUCache<string, number>(upTo(REMEMBERED_VIEWERS));
  return {
    async enter(visit) {
      const now = unixSeconds(clock);
      const viewer = viewerOf(visit);
      const key = `${visit.linkId} ${viewer.id ?? viewer.client}`;
      const since = inside.get(key);
      if (since !== undefined && since <= now && now - since < VIEWING_SECONDS) return { kind: 'known', since };
      const outcome = await linkStore.openLink(visit.linkId, viewer, now);
      if (outcome.kind === 'opened') inside.set(key, now);
      if (outcome.kind === 'known') inside.set(key, outcome.since);
      return outcome;
    },
    mayEnter: (visit) => linkStore.mayOpen(visit.linkId, viewerOf(visit), unixSeconds(clock)),
  };
}

const DIGEST_CHARACTERS = 22;

/**
 * The viewer of a visit. Without a cookie it is an address and a program: two phones of one kind behind one router are then
 * one, and a phone that changes its network is two.
 */
function viewerOf({ linkId, viewer, address, agent }: Visit): Viewer {
  const client = hash('sha256', JSON.stringify([linkId, clientKey(address), agent ?? '']), 'base64url');
  const shown = agent === undefined ? null : shortText(agent);
  return { id: viewer, client: client.slice(0, DIGEST_CHARACTERS), address, agent: shown };
}
