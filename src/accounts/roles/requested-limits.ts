/** The limits of a role as a request asks for them, on top of those that it has (SPEC 13). */
import { err, ok, type Result } from '../../domain/result.ts';
import {
  hasLimit,
  type LimitKey,
  parseLimits,
  type WrittenLimits,
  writtenLimits,
} from '../../domain/rights/role-limits.ts';

/** Null takes a limit away; one that is left out stays as it is. */
export type RequestedLimits = Readonly<Partial<Record<LimitKey, unknown>>>;

const LIMIT_KEYS: readonly LimitKey[] = ['deny', 'hours', 'history_since'];

/** The limits that a role has then; undefined for none. Errs with a sentence. */
export function requestedLimits(
  asked: RequestedLimits,
  before: WrittenLimits | undefined,
): Result<WrittenLimits | undefined, string> {
  const written: Record<string, unknown> = { ...before };
  for (const key of LIMIT_KEYS) {
    const value = asked[key];
    const isEmpty = value === null || (key !== 'history_since' && Array.isArray(value) && value.length === 0);
    if (isEmpty) delete written[key];
    else if (value !== undefined) written[key] = value;
  }
  const fault = LIMIT_KEYS.find((key) => written[key] !== undefined && !isWritten(key, written[key]));
  if (fault) return err(`${fault} ${FORM_OF[fault]}`);
  const limits = parseLimits(written);
  if (!limits.ok) return err(`${limits.error.key}: ${limits.error.message}`);
  return ok(hasLimit(limits.value) ? writtenLimits(limits.value) : undefined);
}

const isWritten = (key: LimitKey, value: unknown): boolean =>
  key === 'history_since'
    ? typeof value === 'string'
    : Array.isArray(value) && value.every((entry) => typeof entry === 'string');

const FORM_OF: Readonly<Record<LimitKey, string>> = {
  deny: 'should be a list of verbs, such as ["export"]',
  hours: 'should be a list, such as ["Mon-Fri 07:00-18:00"]',
  history_since: 'should be a text: grant, or a duration such as 7d',
};
