/** The parameters of the query that a row of the route table takes: an allowlist of names and the form of each (SPEC 5). */

/** Forms of a value, beside text of a length and one of several words. `time`: RFC 3339; `number`: digits, perhaps with a fraction. */
export const PARAMETER_FORMS = ['id', 'number', 'time', 'uuid'] as const;

export type ParameterShape =
  /** `longest` in UTF-16 code units. */
  | { readonly kind: 'text'; readonly longest: number }
  | { readonly kind: 'word'; readonly words: readonly string[] }
  | { readonly kind: (typeof PARAMETER_FORMS)[number] };

export type ParameterForms = Readonly<Record<string, { readonly shape: ParameterShape; readonly isRequired: boolean }>>;
