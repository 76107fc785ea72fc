/** The validity of an account, its first and last moment: read from a JSON body, and checked (SPEC 13). Times are Unix seconds. */
import { z } from 'zod';
import { err, ok, type Result } from '../../domain/result.ts';
import { named } from '../../routes/shapes.ts';

/** Null: without that end. Undefined: not said. */
export interface GivenValidity {
  readonly validFrom?: number | null;
  readonly validUntil?: number | null;
}

/** The year 3000: a time in milliseconds is beyond it. */
const LATEST = 32_503_680_000;
const NO_TIME = 'Input should be a time in whole Unix seconds, or null';
const END = z
  .int(NO_TIME)
  .min(0, NO_TIME)
  .max(LATEST, NO_TIME)
  .nullish()
  .meta({ description: 'Unix seconds; null: without that end' });

export const VALIDITY = named('Validity', z.object({ valid_from: END, valid_until: END }));

export const validityOf = ({ valid_from: from, valid_until: until }: z.output<typeof VALIDITY>): GivenValidity => ({
  ...(from !== undefined && { validFrom: from }),
  ...(until !== undefined && { validUntil: until }),
});

/** Errs with a sentence. */
export const checkedValidity = (from: number | null, until: number | null): Result<undefined, string> =>
  from !== null && until !== null && until <= from ? err('valid_until must be later than valid_from') : ok(undefined);
