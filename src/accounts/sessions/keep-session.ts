/** The caller's session goes on after a change that ends all sessions of the user. */
import type { Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import type { Call } from '../http/kernel.ts';
import { cookieClientOf } from './session-cookie.ts';

/**
 * Gives the caller a new cookie, for what was just set and not for what another request may have set since. A new password, a
 * first factor and the removal of the last one end every other session. The change is recorded first: it is made, also where
 * no cookie can be.
 */
export async function keepSession(
  { caller, ctx, done }: Pick<Call, 'caller' | 'ctx' | 'done'>,
  user: User,
  { sessions }: Pick<Services, 'sessions'>,
  reason?: 'password_change',
): Promise<void> {
  done();
  if (!ctx || caller.name !== user.name || caller.credential.kind !== 'session') return;
  if (reason && caller.credential.carriedBy !== 'cookie') return;
  const token = await sessions.goOn(caller, user, reason);
  if (token !== undefined) ctx.set('Set-Cookie', sessions.cookieFor(token, cookieClientOf(ctx.state)));
}
