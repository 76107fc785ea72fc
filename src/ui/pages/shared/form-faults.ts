/** The faults by the names of their fields. */
export type Faults = Readonly<Record<string, string>>;

export type FormProblem = string | { readonly faults: Faults };

export const faultsOf = (problem: FormProblem): Faults => (typeof problem === 'string' ? {} : problem.faults);

/** Which field a sentence of the server is about. */
const FIELDS: readonly (readonly [about: RegExp, field: string])[] = [
  [/password/i, 'password'],
  [/^Invalid username|^User \S+ exists already|role name/i, 'name'],
  [/\bhours: /, 'hours'],
  [/\bhistory_since\b/, 'historySince'],
  [/\bvalid_until\b/, 'until'],
  [/\bvalid_from\b/, 'from'],
  [/camera name|at least one camera/, 'cameras'],
];

/**
 * The problem at its field when the sentence is about one. `shown` is the sentence in the language of the page, if there is
 * one.
 */
export function placed(message: string, shown: string): FormProblem {
  const [, field] = FIELDS.find(([about]) => about.test(message)) ?? [];
  return field === undefined ? shown : { faults: { [field]: shown } };
}
