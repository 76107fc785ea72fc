/** The outcome of a login attempt as a response, a count and a reason for the audit line (SPEC 4.1, 12). */
import type { RouteContext } from '../../routes/own-route.ts';
import { refuse, refuseWhileBusy, refuseWhileClosed, refuseWhileLimited, respond } from '../http/responses.ts';
import type { LoginOutcome } from './login.ts';

export type LoginResult =
  | 'success'
  | 'bad_credentials'
  | 'code_asked'
  | 'bad_code'
  | 'bad_passkey'
  | 'closed'
  | 'password_off'
  | 'rate_limited'
  | 'disabled'
  | 'invalid_request'
  | 'busy'
  | 'error';

export type Attempted =
  | { readonly kind: 'logged-in'; readonly cookie: string }
  | Exclude<LoginOutcome, { kind: 'logged-in' | 'token-logged-in' }>;

/** The same for every cause, so that it does not tell which users exist. */
export const LOGIN_FAILED = 'Login failed';
/** Told only after the right password. */
const CODE_ASKED = 'A code of the second factor is needed: send it as "code"';
const CODE_WRONG = 'The code is not right, or was used before';
const PASSKEY_OVER = 'The passkey took too long, or the page was open for too long: try again';
// biome-ignore format: a table
const AUDIT_REASON = {
  mismatch:     'bad-credentials',
  'code-asked': 'second-factor-asked',
  'code-wrong': 'bad-code',
  limited:      'rate-limited',
  'passkey-over': 'passkey-challenge-over',
  busy:         'busy',
} as const;

/** The reason for the audit line, never for the client. */
export function reasonOf(outcome: Exclude<Attempted, { kind: 'logged-in' }>): string {
  if (outcome.kind === 'closed') return outcome.closed.reason;
  if (outcome.kind === 'mismatch') return outcome.why ?? AUDIT_REASON.mismatch;
  return outcome.kind === 'passkey-wrong' ? outcome.why : AUDIT_REASON[outcome.kind];
}

export function respondWithOutcome(ctx: RouteContext, outcome: Attempted): LoginResult {
  switch (outcome.kind) {
    case 'logged-in':
      ctx.set('Set-Cookie', outcome.cookie);
      respond(ctx, 200, { success: true });
      break;
    case 'mismatch':
    case 'passkey-wrong':
      refuse(ctx, 401, LOGIN_FAILED);
      break;
    case 'passkey-over':
      refuse(ctx, 401, PASSKEY_OVER, { reason: 'passkey-over' });
      break;
    case 'code-asked':
      refuse(ctx, 401, CODE_ASKED, { second_factor: outcome.kinds });
      break;
    case 'code-wrong':
      refuse(ctx, 401, CODE_WRONG, { second_factor: outcome.kinds });
      break;
    case 'closed':
      refuseWhileClosed(ctx, outcome.closed);
      break;
    case 'limited':
      refuseWhileLimited(ctx, outcome);
      break;
    case 'busy':
      refuseWhileBusy(ctx);
      break;
  }
  return loginResult(outcome);
}

/** How an attempt is counted. */
export const loginResult = (outcome: Attempted): LoginResult =>
  outcome.kind === 'closed' && outcome.closed.reason === 'password-off' ? 'password_off' : LOGIN_RESULT[outcome.kind];

const LOGIN_RESULT: Readonly<Record<Attempted['kind'], LoginResult>> = {
  'logged-in': 'success',
  mismatch: 'bad_credentials',
  'code-asked': 'code_asked',
  'code-wrong': 'bad_code',
  'passkey-wrong': 'bad_passkey',
  'passkey-over': 'bad_passkey',
  closed: 'closed',
  limited: 'rate_limited',
  busy: 'busy',
};
