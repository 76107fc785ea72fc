/** The shape of a JSON body that a row of the route table takes: an allowlist of fields and the form of each (SPEC 5). */

/** Forms of a single value whose meaning an adapter says. */
export const ADAPTER_VALUES = ['clips-file'] as const;
export type AdapterValue = (typeof ADAPTER_VALUES)[number];
export const isAdapterValue = (kind: string): kind is AdapterValue => ADAPTER_VALUES.some((known) => known === kind);
/** Forms of a single value, beside text of a length and one of several words. */
export const VALUE_FORMS = ['boolean', 'number', 'id', 'base64url', ...ADAPTER_VALUES, 'push-endpoint'] as const;
export type ValueForm = (typeof VALUE_FORMS)[number];

export type BodyShape =
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, BodyField>> }
  | { readonly kind: 'list'; readonly of: BodyShape }
  /** `longest` in UTF-16 code units. */
  | { readonly kind: 'text'; readonly longest: number }
  | { readonly kind: 'word'; readonly words: readonly string[] }
  | { readonly kind: ValueForm };

export interface BodyField {
  readonly shape: BodyShape;
  readonly isRequired: boolean;
}

/** A body without a field: what a row takes that names none. */
export const NO_FIELDS: BodyShape = { kind: 'object', fields: {} };
