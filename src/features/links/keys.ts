/** The keys of links: `links.*`. */
import { z } from 'zod';
import { higher, key } from '../../config/schema/keys.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { wholeSecondsOrZero } from '../../config/schema/value-types.ts';

const DAY = 86_400;

// biome-ignore format: a table
export const linksSection = z
  .strictObject({
    max_lifetime: key(wholeSecondsOrZero(60, 366 * DAY).prefault(30 * DAY), { widens: higher },
      'Seconds for which a link may be made at most. A link shows one event, review, recording or live camera to everybody who has its address, until its end. 0: no link works, those made before too.'),
  })
  .prefault({})
  .describe('Links: one thing of one camera, shown without an account.');

/** `links.max_lifetime`, in seconds. */
export const longestLife = (settings: Settings): number =>
  (settings as Settings & { readonly links: z.output<typeof linksSection> }).links.max_lifetime;
