/** `/api/sessions`: lists and ends sessions: the caller's own, for an admin those of all users (SPEC 4.2). */
import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import type { SeenSession } from '../../domain/accounts/logins.ts';
import { type Caller, isAdministrator } from '../../domain/caller.ts';
import { mayManageAccounts } from '../../domain/credentials.ts';
import { answer, SUCCESS } from '../../routes/shapes.ts';
import { SESSION } from '../http/answers.ts';
import { type Call, declaring, Refused, refusedFor } from '../http/kernel.ts';
import { cookieClient } from './session-cookie.ts';

const route = declaring<Services>();

// biome-ignore format: a table
export const SESSION_ROUTES = [
  route({ route: 'GET /api/sessions', access: 'any', note: "the caller's own; for an admin all", summary: "One's own sessions; as an admin, all", yes: [200, z.array(SESSION)], run: list }),
  route({ route: 'DELETE /api/sessions/{id}', access: 'any', writes: true, note: "the caller's own; for an admin any", summary: 'End a session', yes: [200, SUCCESS], no: [404], act: 'session-ended', run: end }),
];

async function list({ caller }: Call, { seenSessions }: Pick<Services, 'seenSessions'>): Promise<object> {
  const seen = await seenSessions.list(isAdministrator(caller) ? undefined : caller.name);
  return seen.filter((session) => mayKnow(caller, session)).map((session) => shown(session, caller));
}

/** The session of another user answers 404, as an unknown one does. */
async function end(
  { caller, params, note, prove }: Call,
  { seenSessions, sessions }: Pick<Services, 'seenSessions' | 'sessions'>,
): Promise<void> {
  const { id = '' } = params;
  const session = await seenSessions.find(id);
  if (!session || !mayKnow(caller, session)) throw new Refused(404, 'absent', 'There is no such session');
  if (!mayManageAccounts(caller)) throw refusedFor('person-needed');
  if (caller.credential.kind !== 'session' || caller.name !== session.user) prove('credentials');
  await sessions.revoke(id, session.expiresAt);
  note({ sessionId: id, user: session.user });
}

/** The sessions of the caller's own account. An API token, or a proxy's user of the same name, is not that account. */
const mayKnow = (caller: Caller, { user }: SeenSession): boolean =>
  isAdministrator(caller) || (caller.credential.kind === 'session' && caller.name === user);

const shown = (session: SeenSession, { credential }: Caller): z.output<typeof SESSION> =>
  answer(SESSION, { ...session, current: credential.kind === 'session' && credential.tokenId === session.id });

/**
 * The caller's session goes on after a change that ends all sessions of the user: it gets a new cookie, for what was just set and not for what another request may have set since. A new password, a
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
  if (token !== undefined) ctx.set('Set-Cookie', sessions.cookieFor(token, cookieClient(ctx.state)));
}
