/** `/api/sessions`: lists and ends sessions: the caller's own, for an admin those of all users (SPEC 4.2). */
import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import { type Caller, isAdministrator } from '../../domain/caller.ts';
import { mayManageAccounts } from '../../domain/credentials.ts';
import { answer, BODY_NO, SUCCESS } from '../../routes/shapes.ts';
import type { SeenSession } from '../../store/engine/tables.ts';
import { SESSION } from '../http/answers.ts';
import { THING_NAME, thingName } from '../http/json-body.ts';
import { type Call, declaring, orRefusedFields, Refused, refusedFor } from '../http/kernel.ts';

const route = declaring<Services>();

// biome-ignore format: a table
export const SESSION_ROUTES = [
  route({ route: 'GET /api/sessions', access: 'any', note: "the caller's own; for an admin all", summary: "One's own sessions; as an admin, all", yes: [200, z.array(SESSION)], run: list }),
  route({ route: 'PATCH /api/sessions/{id}', access: 'any', writes: true, note: "the caller's own; for an admin any", summary: 'Name the device of a session, for its later sessions too', body: THING_NAME, yes: [200, SUCCESS], no: [...BODY_NO, 404], act: 'device-named', run: nameDevice }),
  route({ route: 'DELETE /api/sessions/{id}', access: 'any', writes: true, note: "the caller's own; for an admin any", summary: 'End a session', yes: [200, SUCCESS], no: [404], act: 'session-ended', run: end }),
];

async function list({ caller }: Call, { seenSessions, store }: Pick<Services, 'seenSessions' | 'store'>) {
  const seen = await seenSessions.list(isAdministrator(caller) ? undefined : caller.name);
  const known = seen.filter((session) => mayKnow(caller, session));
  const names = await store.sessions.deviceNames(known);
  const current = caller.credential.kind === 'session' && caller.credential.tokenId;
  return known.map((session, at) =>
    answer(SESSION, { ...session, name: names[at] ?? null, current: session.id === current }),
  );
}

/** The session that the path names. That of another user answers 404, as an unknown one does. */
async function sessionOf({ caller, params, note }: Call, { seenSessions }: Pick<Services, 'seenSessions'>) {
  const session = await seenSessions.find(params['id'] ?? '');
  if (!session || !mayKnow(caller, session)) throw new Refused(404, 'absent', 'There is no such session');
  if (!mayManageAccounts(caller)) throw refusedFor('person-needed');
  note({ sessionId: session.id, user: session.user });
  return session;
}

/** '' takes the name away. */
async function nameDevice(call: Call<z.output<typeof THING_NAME>>, services: Pick<Services, 'seenSessions' | 'store'>) {
  const session = await sessionOf(call, services);
  const { name } = call.body;
  await services.store.sessions.nameDevice(session, name === '' ? null : orRefusedFields(thingName(name)));
}

async function end(call: Call, services: Pick<Services, 'seenSessions' | 'sessions'>): Promise<void> {
  const { id, user, expiresAt } = await sessionOf(call, services);
  if (call.caller.credential.kind !== 'session' || call.caller.name !== user) call.prove('credentials');
  await services.sessions.revoke(id, expiresAt);
}

/** The sessions of the caller's own account. An API token, or a proxy's user of the same name, is not that account. */
const mayKnow = (caller: Caller, { user }: SeenSession): boolean =>
  isAdministrator(caller) || (caller.credential.kind === 'session' && caller.name === user);

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
  if (token !== undefined) ctx.set('Set-Cookie', sessions.cookieFor(token, ctx.state));
}
