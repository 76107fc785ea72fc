/** What is set of the page Security, what was changed, and what is wrong with it (SPEC 1, 12). Pure. */
import type { SecurityRecord } from '../account-records.ts';
import { SECURITY_FIELDS, type SecurityChoice, type SecurityField } from './security-lines.ts';

/** The texts of the fields; empty: not set. */
export const choiceOf = ({ second_factor, timezone, public_url }: SecurityRecord['keys']): SecurityChoice => ({
  second_factor: second_factor.value ?? '',
  timezone: timezone.value ?? '',
  public_url: public_url.value ?? '',
});

/** The body of the request: what differs from what is set. */
export const changesOf = (choice: SecurityChoice, before: SecurityChoice): Partial<SecurityChoice> =>
  Object.fromEntries(
    SECURITY_FIELDS.map((field) => [field, choice[field].trim()] as const).filter(
      ([field, text]) => text !== before[field],
    ),
  );

/** What is wrong with the texts of a change, by the names of their sentences. */
export function faultOf(field: SecurityField, text: string | undefined) {
  if (text === undefined) return undefined;
  if (text === '') return 'removeByHand';
  if (field === 'timezone') return isZone(text) ? undefined : 'timezoneUnfit';
  return field === 'public_url' && !URL.canParse(text) ? 'publicUrlUnfit' : undefined;
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
