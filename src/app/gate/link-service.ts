/** Links for their page: what it shows, and its form for the PIN (SPEC 13). */
import { givePin, type VisitDeps, visitLink } from '../../accounts/links/link-visit.ts';
import type { SharedThing } from '../../domain/shared-thing.ts';
import type { LinkService, ShownThing } from '../../ui/ui-options.ts';
import type { LinkJudgeWithFacts } from './link-judge.ts';

export interface LinkServiceDeps extends VisitDeps {
  readonly judge: LinkJudgeWithFacts;
  readonly hasNvr: boolean;
  /** What people call a camera, where the NVR has such a name. */
  readonly friendlyNameOf: (camera: string) => string | undefined;
  /** `auth.timezone`. */
  readonly timeZone: string | undefined;
}

export const linkService = (deps: LinkServiceDeps): LinkService => ({
  async visit(secret, ctx) {
    const visit = await visitLink(secret, ctx, deps);
    if (visit.kind !== 'shown') return visit;
    const { link, cookie } = visit;
    const { timeZone, friendlyNameOf } = deps;
    const { camera } = link.thing;
    const thing = { ...(await shownThing(link.thing, deps)), camera, friendlyName: friendlyNameOf(camera) };
    return { kind: 'shown', name: link.name ?? undefined, expiresAt: link.expiresAt, thing, timeZone, cookie };
  },
  givePin: (given, ctx) => givePin(given, ctx, deps),
});

type Shown = Omit<ShownThing, 'camera' | 'friendlyName'>;

async function shownThing(thing: SharedThing, { judge, hasNvr }: LinkServiceDeps): Promise<Shown> {
  const { kind } = thing;
  const facts = await judge.factsOf(thing);
  const { startTime: at, label, isGone } = facts ?? {};
  const clips = { clip: 'clip.mp4', playlist: judge.playlistOf(thing) };
  switch (kind) {
    case 'event': {
      const picture = hasNvr && facts?.hasSnapshot !== false ? 'snapshot.jpg' : 'thumbnail.jpg';
      return { kind, at, label, isGone, picture, ...(hasNvr && facts?.hasClip !== false && clips) };
    }
    case 'review':
      return { kind, at, isGone, ...clips };
    case 'recording':
      return { kind, at, isGone, picture: 'snapshot.jpg', ...clips };
    case 'live':
      return { kind, picture: 'live' };
    case 'snapshot':
      return { kind, picture: 'snapshot.jpg' };
  }
}
