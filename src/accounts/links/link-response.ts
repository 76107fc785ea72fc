/** A link as `GET /api/links` lists it: whatever is known of it but its secret (SPEC 13). */
import type { z } from 'zod';
import type { UsedLink } from '../../domain/accounts/link.ts';
import type { SharedThing } from '../../domain/shared-thing.ts';
import type { LINK, SHARED_THING } from '../http/answers.ts';

export type LinkState = 'active' | 'spent' | 'revoked' | 'expired';

export function stateOf({ revokedAt, expiresAt, uses, opened }: UsedLink, now: number): LinkState {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt <= now) return 'expired';
  return uses !== null && opened >= uses ? 'spent' : 'active';
}

export const linkResponse = (link: UsedLink, now: number): z.output<typeof LINK> => ({
  id: link.id,
  what: whatOf(link.thing),
  camera: link.thing.camera,
  name: link.name,
  user: link.maker.user,
  token_id: link.maker.tokenId,
  state: stateOf(link, now),
  uses: link.uses,
  opened: link.opened,
  has_pin: link.pinHash !== null,
  notify_on_open: link.notifiesOnOpen,
  created_at: link.createdAt,
  expires_at: link.expiresAt,
  revoked_at: link.revokedAt,
  openings: [...link.openings],
});

/** The thing as it is asked for. */
function whatOf(thing: SharedThing): z.output<typeof SHARED_THING> {
  const { camera } = thing;
  switch (thing.kind) {
    case 'event':
      return { event: thing.id };
    case 'review':
      return { review: thing.id };
    case 'recording':
      return { recording: { camera, from: thing.from, to: thing.to } };
    case 'live':
      return { live: { camera } };
    case 'snapshot':
      return { snapshot: { camera } };
  }
}
