/** What is wrong with a form: a sentence about the whole, or one for each wrong field, shown at the field. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** By the names of the fields. */
export type Faults = Readonly<Record<string, string>>;

export type FormProblem = string | { readonly faults: Faults };

export const FaultsContext = createContext<Faults>({});

/** Of the field of that name. */
export function useFault(name: string | undefined): string | undefined {
  const faults = useContext(FaultsContext);
  return name === undefined ? undefined : faults[name];
}

/** Undefined when every field is right; a field without a sentence is. */
export function faultsIn(fields: Readonly<Record<string, string | undefined>>): FormProblem | undefined {
  const wrong = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return wrong.length === 0 ? undefined : { faults: Object.fromEntries(wrong) };
}

export const faultsOf = (problem: FormProblem): Faults => (typeof problem === 'string' ? {} : problem.faults);

/** Where the first wrong field is, the focus goes: a screen reader reads the field and what is wrong with it. */
export function focusFault(form: HTMLElement): boolean {
  const wrong = form.querySelector<HTMLElement>('[aria-invalid="true"], [data-fault] input');
  wrong?.focus();
  return wrong !== null;
}

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

/** At its field when the sentence is about one. `shown` is the sentence in the language of the page, if there is one. */
export function placed(message: string, shown: string): FormProblem {
  const [, field] = FIELDS.find(([about]) => about.test(message)) ?? [];
  return field === undefined ? shown : { faults: { [field]: shown } };
}
