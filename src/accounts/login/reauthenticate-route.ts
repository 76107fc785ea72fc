/** `POST /api/reauthenticate`: the password or a code again, for acts that a stolen session alone must not do (SPEC 12). */
import Router from 'koa-router';
import type { AccountStore, User } from '../../domain/accounts/account.ts';
import type { RouteState } from '../../domain/verdict.ts';
import { stringFields } from '../http/body-fields.ts';
import {
  refuse,
  refuseFields,
  refuseFor,
  refuseMethod,
  refuseWhileBusy,
  refuseWhileLimited,
  respond,
} from '../http/responses.ts';
import { type AccountResponseDeps, type AccountRouterContext, jsonOf, record } from '../http/route-guards.ts';
import { cookieClientOf } from '../sessions/session-cookie.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { type CodeGuessDeps, judgeCode, onAccountOf } from './code-guess.ts';
import { type GuessDeps, judgeGuess } from './password-guess.ts';

export interface ReauthenticateDeps extends AccountResponseDeps, CodeGuessDeps, GuessDeps {
  readonly store: Pick<AccountStore, 'findUser'>;
  readonly sessions: Pick<Sessions, 'prove' | 'cookieFor'>;
}

const WRONG = 'The password or the code is not right.';

export function createReauthenticateRoute(deps: ReauthenticateDeps): Router<RouteState> {
  const router = new Router<RouteState>({ strict: true, sensitive: true });
  router.post('/api/reauthenticate', (ctx) => reauthenticate(ctx, deps));
  router.all('/api/reauthenticate', refuseMethod('POST'));
  return router;
}

async function reauthenticate(ctx: AccountRouterContext, deps: ReauthenticateDeps): Promise<void> {
  const { caller } = ctx.state;
  if (!caller) return refuseFor(ctx, 'no-credentials');
  if (caller.credential.kind !== 'session') return refuseFor(ctx, 'reauthentication-required');
  const body = await jsonOf(ctx, deps);
  if (!body) return;
  const fields = stringFields(body.json, { required: [], optional: ['password', 'code'] });
  if (!fields.ok) return refuseFields(ctx, fields.error);
  const { password, code } = fields.value;
  if (!password === !code) return refuseFields(ctx, [ONE_OF_TWO]);
  const user = await deps.store.findUser(caller.name);
  if (!user) return refuseFor(ctx, 'token-invalid');
  const guess = { user, address: ctx.state.clientAddress, knownSession: caller.credential.tokenId };
  const outcome = code
    ? await judgeCode({ ...guess, code }, deps)
    : await judgePassword({ ...guess, password: password ?? '' }, deps);
  const act = { what: 'reauthenticated', user: user.name } as const;
  switch (outcome.kind) {
    case 'limited':
      record(ctx, deps, act, 'rate-limited');
      return refuseWhileLimited(ctx, outcome);
    case 'busy':
      record(ctx, deps, act, 'busy');
      return refuseWhileBusy(ctx);
    case 'wrong':
    case 'mismatch':
      record(ctx, deps, act, outcome.kind === 'wrong' ? 'bad-code' : 'bad-credentials');
      return refuse(ctx, 401, WRONG, { reason: 'not-proven' });
    case 'right':
    case 'match': {
      const token = await deps.sessions.prove(caller);
      if (token === undefined) return refuseFor(ctx, 'token-invalid');
      record(ctx, deps, act);
      ctx.set('Set-Cookie', deps.sessions.cookieFor(token, cookieClientOf(ctx.state)));
      return respond(ctx, 200, { success: true });
    }
  }
}

const ONE_OF_TWO = { loc: ['body'], msg: 'Give the password or a code', type: 'value_error' } as const;

interface PasswordGuess {
  readonly user: User;
  readonly password: string;
  readonly address: string;
  readonly knownSession: string;
}

function judgePassword({ user, password, address, knownSession }: PasswordGuess, deps: ReauthenticateDeps) {
  const guess = { password, address, browserOf: user.name, storedHash: async () => user.passwordHash };
  return onAccountOf({ user, knownSession }, deps, () => judgeGuess(guess, deps));
}
