/** Logs in by the login page's form when it is sent without a script (SPEC 4.1, 8). */

import { attemptLogin, LOGIN_RESULT } from '../../accounts/login/post-login.ts';
import { passwordFault } from '../../accounts/passwords/password-rules.ts';
import type { LogIn } from '../../ui/login-page.ts';
import type { AccountsInForce } from '../accounts/accounts-in-force.ts';

/** By then a password check may find a free place. */
const BUSY_RETRY_SECONDS = 5;

export const formLogIn =
  (deps: AccountsInForce['routeDeps']): LogIn =>
  async ({ user, password }, ctx) => {
    if (!deps.settings().authEnabled) return { kind: 'no-passwords' };
    if (passwordFault(password) !== undefined) return { kind: 'unfit' };
    const onResult = deps.onLogin();
    const outcome = await attemptLogin({ user, password }, ctx, deps);
    onResult(LOGIN_RESULT[outcome.kind]);
    switch (outcome.kind) {
      case 'logged-in':
        return { kind: 'logged-in', cookie: outcome.cookie };
      case 'mismatch':
        return { kind: 'wrong-credentials' };
      case 'limited':
        return { kind: 'wait', why: 'too-many-tries', seconds: outcome.retryAfterSeconds };
      case 'busy':
        return { kind: 'wait', why: 'busy', seconds: BUSY_RETRY_SECONDS };
    }
  };
