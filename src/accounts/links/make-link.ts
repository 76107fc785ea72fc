/** Making a link: the same rules for the API and the command line (SPEC 13). */
import type { Link, LinkMaker, LinkStore } from '../../domain/accounts/link.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { LINK_PATH, type SharedThing } from '../../domain/shared-thing.ts';
import { newGrant } from '../grants/grants.ts';
import type { LinkPasses } from './link-pass.ts';
import type { LinkRefusal, LinkTerms } from './wanted-link.ts';

export interface MakeLinkDeps {
  readonly linkStore: Pick<LinkStore, 'addLink'>;
  readonly passes: Pick<LinkPasses, 'pinHash'>;
  readonly clock: Clock;
}

/** `path` is below the base path and holds the secret; it is shown once. */
export interface MadeLink {
  readonly link: Link;
  readonly path: string;
}

/** The most links of one maker that hold at a time: an automation may make one for each notification of a day. */
const MOST_LINKS = 2000;

/** The path below the base path. */
export const linkPath = (secret: string): string => `${LINK_PATH}/${secret}`;

/** A link as it would be, not kept yet: for judging whether its maker may make it. */
export function draftLink(
  thing: SharedThing,
  terms: LinkTerms,
  maker: LinkMaker,
  { passes, clock }: Omit<MakeLinkDeps, 'linkStore'>,
): MadeLink {
  const { id, secret, secretHash } = newGrant();
  const createdAt = unixSeconds(clock);
  const { expiresIn, uses, pin, name, notifiesOnOpen } = terms;
  const pinHash = pin === undefined ? null : passes.pinHash(id, pin);
  const times = { createdAt, expiresAt: createdAt + expiresIn, revokedAt: null };
  return {
    link: { id, secretHash, thing, maker, name, uses, pinHash, notifiesOnOpen, ...times },
    path: linkPath(secret),
  };
}

export async function keepLink(
  made: MadeLink,
  { linkStore }: Pick<MakeLinkDeps, 'linkStore'>,
): Promise<Result<MadeLink, LinkRefusal>> {
  switch (await linkStore.addLink(made.link, MOST_LINKS)) {
    case 'added':
      return ok(made);
    case 'too-many':
      return err({
        reason: 'too-many',
        message: `${made.link.maker.user} has ${MOST_LINKS} links already: revoke some`,
      });
    case 'absent':
      return err({ reason: 'maker-gone', message: 'The account or the API token does not exist any more' });
  }
}
