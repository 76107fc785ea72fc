/** What is set of the page Security, what was changed, and what is wrong with it (SPEC 1, 12). Pure. */
import type { AnswerOf } from '../shared/answers.ts';

export type SecurityRecord = AnswerOf<'SETTINGS'>;

export const FACTOR_CHOICES = ['off', 'optional', 'admins', 'everyone'] as const;

/** The names are those of the API. */
export const SECURITY_FIELDS = ['second_factor', 'timezone', 'public_url'] as const;
export type SecurityField = (typeof SECURITY_FIELDS)[number];

/** Texts as they are typed; empty: not set. */
export type SecurityChoice = Readonly<Record<SecurityField, string>>;

/** The texts of the fields; empty: not set. */
export const choiceOf = ({ second_factor, timezone, public_url }: SecurityRecord): SecurityChoice => ({
  second_factor: second_factor.value ?? '',
  timezone: timezone.value ?? '',
  public_url: public_url.value ?? '',
});

/** The body of the request: what differs from what is set. Null: not set any more. */
export const changesOf = (choice: SecurityChoice, before: SecurityChoice) =>
  Object.fromEntries(
    SECURITY_FIELDS.map((field) => [field, choice[field].trim()] as const)
      .filter(([field, text]) => text !== before[field])
      .map(([field, text]) => [field, text === '' ? null : text]),
  ) as Partial<Record<SecurityField, string | null>>;

/** What is wrong with the texts of a change, by the names of their sentences. */
export function faultOf(field: SecurityField, text: string | null | undefined) {
  if (text === undefined || text === null) return undefined;
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
