/** Links for their page: what it shows, and its form for the PIN (SPEC 13). */
import { givePin, type VisitDeps, visitLink } from '../../accounts/links/link-visit.ts';
import type { SharedThing } from '../../domain/shared-thing.ts';
import type { LinkService } from '../../ui/link-page.ts';
import type { ShownThing } from '../../ui/link-page-html.ts';
import type { LinkJudgeWithFacts } from './link-judge.ts';

export interface LinkServiceDeps extends VisitDeps {
  readonly judge: LinkJudgeWithFacts;
  readonly hasNvr: boolean;
}

export const linkService = (deps: LinkServiceDeps): LinkService => ({
  async visit(secret, ctx) {
    const visit = await visitLink(secret, ctx, deps);
    if (visit.kind !== 'shown') return visit;
    const { link, cookie } = visit;
    return {
      kind: 'shown',
      name: link.name ?? undefined,
      expiresAt: link.expiresAt,
      thing: await shownThing(link.thing, deps),
      cookie,
    };
  },
  givePin: (given, ctx) => givePin(given, ctx, deps),
});

async function shownThing(thing: SharedThing, { judge, hasNvr }: LinkServiceDeps): Promise<ShownThing> {
  const { kind, camera } = thing;
  switch (thing.kind) {
    case 'event': {
      const facts = await judge.factsOf(thing.id);
      const { startTime: at, label } = facts ?? {};
      const picture = hasNvr && facts?.hasSnapshot !== false ? 'snapshot.jpg' : 'thumbnail.jpg';
      return { kind, camera, at, label, picture, clip: hasNvr && facts?.hasClip !== false ? 'clip.mp4' : undefined };
    }
    case 'review':
      return { kind, camera, clip: 'clip.mp4' };
    case 'recording':
      return { kind, camera, at: thing.from, picture: 'snapshot.jpg', clip: 'clip.mp4' };
    case 'live':
      return { kind, camera, picture: 'live' };
    case 'snapshot':
      return { kind, camera, picture: 'snapshot.jpg' };
  }
}
