/** The problem of a failed API request as text; opens the login page when the session is over. */

import { goToLogin } from '../account/go-to-login.ts';
import { COMMON } from '../account/password-strength.ts';
import type { ApiResponse } from '../api.ts';
import { words } from '../words.ts';
import { type FormProblem, placed } from './form-faults.ts';

export function problemOf(response: Exclude<ApiResponse, { kind: 'ok' }>): string {
  if (response.kind === 'refused')
    return COMMON.test(response.message) ? words.passwords.rules.common : response.message;
  if (response.kind !== 'login-needed') return words.ui.common.notReached;
  return goToLogin(response.location) === 'leaving' ? words.ui.common.sessionOver : words.ui.common.loopInShort;
}

/** The same for a form: at the field that the server complains about. */
export function formProblemOf(response: Exclude<ApiResponse, { kind: 'ok' }>): FormProblem {
  const text = problemOf(response);
  return response.kind === 'refused' ? placed(response.message, text) : text;
}
