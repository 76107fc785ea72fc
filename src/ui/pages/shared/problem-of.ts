/** The problem of a failed API request as text; opens the login page when the session is over. */
import type { Answer } from './api.ts';
import { goToLogin } from './go-to-login.ts';
import { words } from './words.ts';

export function problemOf(answer: Exclude<Answer, { kind: 'ok' }>): string {
  if (answer.kind === 'refused') return answer.message;
  if (answer.kind !== 'login-needed') return words.common.notReached;
  return goToLogin(answer.location) === 'leaving' ? words.common.sessionOver : words.common.loopInShort;
}
