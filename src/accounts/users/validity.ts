/**
 * The validity of an account, its first and last moment: read from a JSON body, and checked (SPEC 13). Times are Unix seconds.
 */
import { err, ok, type Result } from '../../domain/result.ts';
import type { FieldFault } from '../http/body-fields.ts';

/** Null: without that end. Undefined: not said. */
export interface GivenValidity {
  readonly validFrom?: number | null;
  readonly validUntil?: number | null;
}

export const VALIDITY_FIELDS = ['valid_from', 'valid_until'] as const;

/** The year 3000: a time in milliseconds is beyond it. */
const LATEST = 32_503_680_000;

export function validityIn(body: unknown): Result<GivenValidity, readonly FieldFault[]> {
  const { valid_from: from, valid_until: until } = Object(body);
  const faults = VALIDITY_FIELDS.flatMap((name) => faultOf(name, Object(body)[name]));
  if (faults.length > 0) return err(faults);
  return ok({ ...(from !== undefined && { validFrom: from }), ...(until !== undefined && { validUntil: until }) });
}

function faultOf(name: string, value: unknown): FieldFault[] {
  if (value === undefined || value === null) return [];
  if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LATEST) return [];
  return [{ loc: ['body', name], msg: 'Input should be a time in whole Unix seconds, or null', type: 'int_type' }];
}

/** Errs with a sentence. */
export const checkedValidity = (from: number | null, until: number | null): Result<undefined, string> =>
  from !== null && until !== null && until <= from ? err('valid_until must be later than valid_from') : ok(undefined);
