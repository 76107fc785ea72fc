/** Keys of `ledger`: the record of viewings and changes, and who may read it. */
import { z } from 'zod';

const MOST_DAYS = 36_500;
const DAYS = /^(?<days>\d{1,5}) ?d$/;

/** `90` and `90d` are the same. */
const days = () =>
  z
    .union([z.int(), z.string().regex(DAYS)], {
      error: ({ input }) => `${JSON.stringify(input)} is not a number of days: write for example 90 or 90d`,
    })
    .transform((written, context) => {
      const count = typeof written === 'number' ? written : Number(DAYS.exec(written)?.groups?.['days']);
      if (count >= 1 && count <= MOST_DAYS) return count;
      context.addIssue({
        code: 'custom',
        message: `${JSON.stringify(written)} is not between 1 and ${MOST_DAYS} days`,
      });
      return z.NEVER;
    });

export const ledgerSection = z
  .strictObject({
    enabled: z
      .boolean()
      .prefault(true)
      .describe('Whether viewings, logins and changes are recorded. Changes at a restart only.')
      .meta({ widens: 'false' }),
    retention: days()
      .prefault(90)
      .describe(
        'Days for which records are kept. Older ones are deleted by whole days; the hash of the last one is kept, so that the rest can still be verified.',
      )
      .meta({ widens: 'lower' }),
    visible_to_viewers: z
      .boolean()
      .prefault(false)
      .describe(
        'Whether users who are no admins see who else watched the cameras that they see themselves. They always see their own records.',
      )
      .meta({ widens: 'true' }),
  })
  .prefault({})
  .describe('The ledger: who watched what, and what was changed.');
