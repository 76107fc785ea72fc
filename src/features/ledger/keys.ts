/** The keys of the ledger: `ledger.*`. */
import { z } from 'zod';
import { key, lower, toTrue } from '../../config/schema/keys.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { wholeSecondsOrZero } from '../../config/schema/value-types.ts';

const DAY = 86_400;
const MOST_DAYS = 36_500;

/** Former versions took a plain number for days. Nothing as short as that can be meant in seconds. */
const daysOfFormerVersions = (written: unknown): unknown =>
  typeof written === 'number' && written >= 1 && written <= MOST_DAYS ? written * DAY : written;

// biome-ignore format: a table
export const ledgerSection = z
  .strictObject({
    retention: key(z.preprocess(daysOfFormerVersions, wholeSecondsOrZero(DAY, MOST_DAYS * DAY)).prefault('90d'), { widens: lower },
      'How long records are kept, at least 1d. Older ones are deleted by whole days; the hash of the last one is kept, so that the rest can still be verified. 0: nothing is recorded but what people are told of their own accounts, for 90d. From and to 0 it changes at a restart only.'),
    visible_to_viewers: key(z.boolean().prefault(false), { widens: toTrue },
      'Whether users who are no admins see who else watched the cameras that they see themselves. They always see their own records.'),
  })
  .prefault({})
  .describe('The ledger: who watched what, and what was changed.');

/** The keys of the ledger in the configuration. */
export const ledgerKeys = (settings: Settings): z.output<typeof ledgerSection> =>
  (settings as Settings & { readonly ledger: z.output<typeof ledgerSection> }).ledger;
