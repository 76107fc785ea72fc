/** The keys of links: `links.*`. */
import { z } from 'zod';
import { higher } from '../../config/schema/keys.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { wholeSecondsOrZero } from '../../config/schema/value-types.ts';

const DAY = 86_400;

export const linksSection = z
  .strictObject({
    max_lifetime: wholeSecondsOrZero(60, 366 * DAY)
      .prefault(30 * DAY)
      .describe(
        'Seconds for which a link may be made at most. A link shows one event, review, recording or live camera to everybody who has its address, until its end. 0: no link works, those made before too.',
      )
      .meta({ widens: higher }),
  })
  .prefault({})
  .describe('Links: one thing of one camera, shown without an account.');

/** `links.max_lifetime`, in seconds. */
export const longestLife = (settings: Settings): number =>
  (settings as Settings & { readonly links: z.output<typeof linksSection> }).links.max_lifetime;
