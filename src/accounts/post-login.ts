/** `POST /api/login`: each outcome of a login attempt as an answer, a count and an audit line (SPEC 4.1). */
import {
  type AccountContext,
  answer,
  refuse,
  refuseBody,
  refuseFields,
  refuseWhileBusy,
  refuseWhileLimited,
} from './answers.ts';
import { type Audit, triedName } from './audit.ts';
import { type FieldFault, stringFields } from './body-fields.ts';
import type { FirstTimeLogin } from './first-admin.ts';
import { type LoginOutcome, type LoginParts, logIn } from './login.ts';
import { passwordFault } from './password-rules.ts';
import { readJson } from './read-json.ts';
import type { Sessions } from './sessions.ts';

export type LoginResult =
  | 'success'
  | 'bad_credentials'
  | 'rate_limited'
  | 'disabled'
  | 'invalid_request'
  | 'busy'
  | 'error';

export interface PostLoginParts extends LoginParts {
  readonly settings: () => { readonly authEnabled: boolean; readonly bodySeconds: number };
  readonly sessions: Pick<Sessions, 'issue' | 'cookieFor'>;
  readonly firstTimeLogin: FirstTimeLogin;
  readonly onLogin: (result: LoginResult) => void;
  readonly audit: Audit;
}

const MOST_BODY_BYTES = 8192;
/** One for all: nobody learns which names exist. */
const LOGIN_FAILED = 'Login failed';
const DISABLED = 'Authentication is disabled';

export function createPostLogin(parts: PostLoginParts): (ctx: AccountContext) => Promise<void> {
  return async (ctx) => {
    try {
      parts.onLogin(await login(ctx, parts));
    } catch (fault) {
      parts.onLogin('error');
      throw fault;
    }
  };
}

async function login(ctx: AccountContext, parts: PostLoginParts): Promise<LoginResult> {
  const { authEnabled, bodySeconds } = parts.settings();
  if (!authEnabled) {
    refuse(ctx, 404, DISABLED);
    return 'disabled';
  }
  const body = await readJson(ctx.req, { bytes: MOST_BODY_BYTES, seconds: bodySeconds });
  if (!body.ok) {
    refuseBody(ctx, body.error);
    return 'invalid_request';
  }
  const fields = stringFields(body.value, { required: ['user', 'password'] });
  const faults = fields.ok ? passwordFaults(fields.value.password) : fields.error;
  if (!fields.ok || faults.length > 0) {
    refuseFields(ctx, faults);
    return 'invalid_request';
  }
  const outcome = await logIn({ ...fields.value, address: ctx.state.clientAddress }, parts);
  return answerOutcome(ctx, outcome, fields.value.user, parts);
}

function passwordFaults(password: string): FieldFault[] {
  const fault = passwordFault(password);
  return fault === undefined ? [] : [{ loc: ['body', 'password'], msg: fault, type: 'value_error' }];
}

function answerOutcome(ctx: AccountContext, outcome: LoginOutcome, name: string, parts: PostLoginParts): LoginResult {
  const { clientAddress: from, clientEncrypted: encrypted, requestId } = ctx.state;
  const attempt = { what: 'login', who: triedName(name), from, requestId } as const;
  switch (outcome.kind) {
    case 'logged-in':
      parts.firstTimeLogin.onLogin(outcome.user.role);
      parts.audit({ ...attempt, verdict: 'allowed' });
      ctx.set('Set-Cookie', parts.sessions.cookieFor(outcome.token, { encrypted }));
      answer(ctx, 200, { success: true });
      return 'success';
    case 'mismatch':
      parts.audit({ ...attempt, verdict: 'refused', reason: 'bad-credentials' });
      refuse(ctx, 401, LOGIN_FAILED);
      return 'bad_credentials';
    case 'limited':
      parts.audit({ ...attempt, verdict: 'refused', reason: 'rate-limited' });
      refuseWhileLimited(ctx, outcome);
      return 'rate_limited';
    case 'busy':
      refuseWhileBusy(ctx);
      return 'busy';
  }
}
