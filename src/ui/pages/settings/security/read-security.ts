/** What is set of the page Security and by what, what may be sent, and what is wrong with it (SPEC 1, 12). Pure. */
import { isFields, textOf } from '../../shared/forms/fields.ts';
import type { SecurityChoice } from './security-lines.ts';

export interface SecuritySettings {
  readonly file: string;
  readonly isWritable: boolean;
  /** Texts as in the fields; empty: not set. */
  readonly choice: SecurityChoice;
  /** The variables that set keys: they come before the file. */
  readonly setBy: Readonly<Partial<Record<keyof SecurityChoice, string>>>;
}

const NAMES = { secondFactor: 'second_factor', timezone: 'timezone', publicUrl: 'public_url' } as const;
export const SECURITY_FIELDS = Object.keys(NAMES) as readonly (keyof SecurityChoice)[];

export function readSecurity(body: unknown): SecuritySettings {
  const answer = isFields(body) ? body : {};
  const keys = isFields(answer['keys']) ? answer['keys'] : {};
  const textIn = (field: keyof SecurityChoice, name: 'value' | 'set_by'): string | undefined => {
    const key = keys[NAMES[field]];
    return isFields(key) ? textOf(key[name]) : undefined;
  };
  const valueIn = (field: keyof SecurityChoice): string => textIn(field, 'value') ?? '';
  const setBy = SECURITY_FIELDS.flatMap((field) => {
    const variable = textIn(field, 'set_by');
    return variable === undefined ? [] : [[field, variable] as const];
  });
  return {
    file: textOf(answer['file']) ?? '',
    isWritable: answer['writable'] === true,
    choice: {
      secondFactor: valueIn('secondFactor'),
      timezone: valueIn('timezone'),
      publicUrl: valueIn('publicUrl'),
    },
    setBy: Object.fromEntries(setBy),
  };
}

/** The body of the request: what differs from what is set. */
export const changesOf = (choice: SecurityChoice, before: SecurityChoice): Readonly<Record<string, string>> =>
  Object.fromEntries(
    SECURITY_FIELDS.filter((field) => choice[field].trim() !== before[field]).map((field) => [
      NAMES[field],
      choice[field].trim(),
    ]),
  );

export type SecurityFault = 'removeByHand' | 'timezoneUnfit' | 'publicUrlUnfit';

/** What is wrong with a field that was changed. */
export function faultOf(
  field: keyof SecurityChoice,
  choice: SecurityChoice,
  before: SecurityChoice,
): SecurityFault | undefined {
  const text = choice[field].trim();
  if (text === before[field]) return undefined;
  if (text === '') return 'removeByHand';
  if (field === 'timezone') return isZone(text) ? undefined : 'timezoneUnfit';
  return field === 'publicUrl' && !URL.canParse(text) ? 'publicUrlUnfit' : undefined;
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
