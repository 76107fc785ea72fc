/** Logs in by the login page's form when it is sent without a script, in one step or two (SPEC 4.1, 8, 12). */
import {
  type Attempted,
  type AttemptServices,
  attemptLogin,
  attemptSecondStep,
  loginResult,
} from '../accounts/login/post-login.ts';
import { passwordFault } from '../accounts/passwords/password-rules.ts';
import { STEP_COOKIE, TICKET_SECONDS } from '../accounts/second-factor/sealing.ts';
import { cookieClient, cookieLine } from '../accounts/sessions/session-cookie.ts';
import { digestSecrets } from '../accounts/sessions/session-state.ts';
import type { AccountServices } from '../app/services.ts';
import { unixSeconds } from '../domain/clock.ts';
import { cookieValues } from '../domain/sent-credentials.ts';
import type { RouteContext } from '../routes/own-route.ts';
import type { FormLogin, LogIn } from './ui-options.ts';

type Deps = AttemptServices & Pick<AccountServices, 'tickets' | 'clock' | 'signInsOf'>;

/** The time after which a password check may find a free place. */
const BUSY_RETRY_SECONDS = 5;

export const formLogIn = (deps: Deps): LogIn => ({
  async logIn({ user, password }, ctx) {
    if (!deps.settings.auth.enabled) return { kind: 'no-passwords' };
    if (passwordFault(password) !== undefined) return { kind: 'unfit' };
    return counted(() => attemptLogin({ user, password }, ctx, deps), ctx, deps);
  },
  async secondStep(code, ctx) {
    const { enabled } = deps.settings.auth;
    const ticket = ticketOf(ctx, deps);
    if (!enabled || !ticket) return { kind: enabled ? 'step-over' : 'no-passwords' };
    const { expiresAt: _, ...step } = ticket;
    const outcome = await counted(() => attemptSecondStep({ ...step, code }, ctx, deps, deps.signInsOf), ctx, deps);
    return outcome.kind === 'wrong-credentials' ? { kind: 'step-over' } : outcome;
  },
});

const hasStepCookie = (ctx: RouteContext): boolean => cookieValues(ctx.get('Cookie'), STEP_COOKIE.name).length > 0;

function ticketOf(ctx: RouteContext, { tickets, clock }: Pick<Deps, 'tickets' | 'clock'>) {
  const [written = ''] = cookieValues(ctx.get('Cookie'), STEP_COOKIE.name);
  return tickets.read(written, unixSeconds(clock));
}

async function counted(attempt: () => Promise<Attempted>, ctx: RouteContext, deps: Deps): Promise<FormLogin> {
  const outcome = await attempt();
  deps.onLogin(loginResult(outcome));
  const stepCookie = (text: string, seconds: number): string =>
    cookieLine(STEP_COOKIE, text, seconds, cookieClient(ctx.state));
  switch (outcome.kind) {
    case 'logged-in':
      return { kind: 'logged-in', cookies: [outcome.cookie, ...(hasStepCookie(ctx) ? [stepCookie('', 0)] : [])] };
    case 'code-asked': {
      const { name: user } = outcome.user;
      const expiresAt = unixSeconds(deps.clock) + TICKET_SECONDS;
      const ticket = deps.tickets.sign({ user, secretsDigest: digestSecrets(outcome.user), expiresAt });
      return { kind: 'code-asked', cookie: stepCookie(ticket, TICKET_SECONDS) };
    }
    case 'code-wrong':
      return { kind: 'code-wrong' };
    case 'mismatch':
    case 'passkey-wrong':
    case 'passkey-over':
      return { kind: 'wrong-credentials' };
    case 'closed':
      return { kind: 'closed', ...outcome.closed };
    case 'limited':
      return { kind: 'wait', why: 'too-many-tries', seconds: outcome.retryAfterSeconds };
    case 'busy':
      return { kind: 'wait', why: 'busy', seconds: BUSY_RETRY_SECONDS };
  }
}
