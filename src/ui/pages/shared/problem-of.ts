/** The problem of a failed API request as text; opens the login page when the session is over. */
import type { Answer } from './api.ts';
import { goToLogin } from './go-to-login.ts';
import { words } from './words.ts';

/** A list of common passwords is too long for a page: the server knows it. */
const COMMON = /^Password is one of the most common/;

export function problemOf(answer: Exclude<Answer, { kind: 'ok' }>): string {
  if (answer.kind === 'refused') return COMMON.test(answer.message) ? words.newPassword.common : answer.message;
  if (answer.kind !== 'login-needed') return words.common.notReached;
  return goToLogin(answer.location) === 'leaving' ? words.common.sessionOver : words.common.loopInShort;
}
