/** Numbers, and the forms of words that go with them, in one language: what is "one", "few" or "many" is known by Intl. */

/** The forms by plural category (Unicode CLDR). A category without a form uses `other`. */
export type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

export interface Numbers {
  /** A number as the language writes it: 1,234 or 1.234. */
  readonly count: (number: number) => string;
  /** The form that goes with the number, without the number. */
  readonly form: (number: number, forms: PluralForms) => string;
  /** The number and its form: `3 cameras`. */
  readonly counted: (number: number, forms: PluralForms) => string;
}

/** `language`: BCP 47. */
export function numbersIn(language: string): Numbers {
  // Made when they are needed: the tables of Intl take megabytes of the server, which rarely counts anything.
  let numbers: Intl.NumberFormat | undefined;
  let rules: Intl.PluralRules | undefined;
  const count = (number: number): string => {
    numbers ??= new Intl.NumberFormat(language);
    return numbers.format(number);
  };
  const form = (number: number, forms: PluralForms): string => {
    rules ??= new Intl.PluralRules(language);
    return forms[rules.select(number)] ?? forms.other;
  };
  return { count, form, counted: (number, forms) => `${count(number)} ${form(number, forms)}` };
}
