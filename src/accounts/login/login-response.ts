/** The outcome of a login attempt as a refusal, a count and a reason for the audit line (SPEC 4.1, 12). */
import { type LoginResult, Refused, refusedFor, refusedWhileBusy, refusedWhileLimited } from '../http/kernel.ts';
import type { LoginOutcome } from './login.ts';

export type Attempted =
  | { readonly kind: 'logged-in'; readonly cookie: string }
  | Exclude<LoginOutcome, { kind: 'logged-in' | 'token-logged-in' }>;
type Failed = Exclude<Attempted, { kind: 'logged-in' }>;

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
export function reasonOf(outcome: Failed): string {
  if (outcome.kind === 'closed') return outcome.closed.reason;
  if (outcome.kind === 'mismatch') return outcome.why ?? AUDIT_REASON.mismatch;
  return outcome.kind === 'passkey-wrong' ? outcome.why : AUDIT_REASON[outcome.kind];
}

export function refusedLogin(outcome: Failed): Refused {
  const counted = loginResult(outcome);
  switch (outcome.kind) {
    case 'mismatch':
    case 'passkey-wrong':
      return new Refused(401, LOGIN_FAILED, { counted });
    case 'passkey-over':
      return new Refused(401, PASSKEY_OVER, { counted, fields: { reason: 'passkey-over' } });
    case 'code-asked':
      return new Refused(401, CODE_ASKED, { counted, fields: { second_factor: outcome.kinds } });
    case 'code-wrong':
      return new Refused(401, CODE_WRONG, { counted, fields: { second_factor: outcome.kinds } });
    case 'closed': {
      // It says when it opens again, as every refusal of such a caller does.
      const { reason, opens } = outcome.closed;
      const headers = opens ? { 'Retry-After': String(opens.inSeconds) } : {};
      return refusedFor(reason, { opens }, { counted, headers });
    }
    case 'limited':
      return refusedWhileLimited(outcome);
    case 'busy':
      return refusedWhileBusy();
  }
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
