/** The keys of links: addresses that show one thing of one camera, without an account. */
import { z } from 'zod';
import { wholeSeconds } from './value-types.ts';

const DAY = 86_400;

export const linksSection = z
  .strictObject({
    enabled: z
      .boolean()
      .prefault(true)
      .describe(
        'Whether links may be made and opened. A link shows one event, review, recording or live camera to everybody who has its address, until its end. false: no link works, those made before too.',
      )
      .meta({ widens: 'true' }),
    max_lifetime: wholeSeconds(60, 366 * DAY)
      .prefault(30 * DAY)
      .describe('Seconds for which a link may be made at most. A link without an end does not exist.')
      .meta({ widens: 'higher' }),
  })
  .prefault({})
  .describe('Links: one thing of one camera, shown without an account.');
