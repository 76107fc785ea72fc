/** What is wrong, in the language of the page: with the fields of a form, and by a refusal. The server's own sentence is for programs, and never shown. */
import { type ProblemTexts, said } from '../../../locales/texts.ts';
import { own } from './untrusted.ts';
import { learnWords, words } from './words.ts';

/** The faults by the names of their fields. */
export type Faults = Readonly<Record<string, string>>;

export type FormProblem = string | { readonly faults: Faults };

/** Await it before a refusal is put into words. Without the network there are none. */
export const learnProblems = (language: string): Promise<void> => learnWords(language, '.problems').catch(() => {});

/**
 * `answer`: has the reason, and the values of its text. `texts`: a page that always shows some names them, so that they come with it.
 * Undefined for a reason that is not known here, such as one of an NVR.
 */
export function problemText(answer: unknown, texts: ProblemTexts | undefined = words['problems']): string | undefined {
  const { reason, values } = Object(answer);
  const text = own(texts ?? {}, reason);
  return text && said(text, Object(values));
}

/** The field of a form that a reason is about. */
// biome-ignore format: a table
const FIELDS: Readonly<Partial<Record<keyof ProblemTexts, string>>> = {
  'camera-foreign':       'cameras',
  'cameras-invalid':      'cameras',
  'code-unknown':         'user_code',
  'end-invalid':          'lifetime',
  'expiry-invalid':       'lifetime',
  'history-invalid':      'historySince',
  'hours-invalid':        'hours',
  'name-invalid':         'name',
  'name-taken':           'name',
  'old-password-missing': 'current',
  'old-password-wrong':   'current',
  'password-unfit':       'password',
  'pin-invalid':          'pin',
  'role-too-high':        'role',
  'role-unknown':         'role',
  'setting-invalid':      'public_url',
  'validity-unfit':       'until',
  'wrong-code':           'code',
};

export const fieldOf = (reason?: string): string | undefined => own(FIELDS, reason);
