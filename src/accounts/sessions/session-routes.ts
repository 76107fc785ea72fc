/** `/api/sessions`: lists and ends sessions: the caller's own, for an admin those of all users (SPEC 4.2). */
import { z } from 'zod';
import type { SeenSession } from '../../domain/accounts/session-store.ts';
import { type Caller, isAdministrator, mayManageAccounts } from '../../domain/caller.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { SUCCESS } from '../../routes/shapes.ts';
import { SESSION } from '../http/answers.ts';
import { refuse, refuseFor, respond } from '../http/responses.ts';
import { type AccountResponseDeps, record } from '../http/route-guards.ts';
import type { SeenSessions } from './seen-sessions.ts';
import type { Sessions } from './sessions.ts';

export interface SessionRouteDeps extends AccountResponseDeps {
  readonly sessions: Pick<Sessions, 'revoke'>;
  readonly seenSessions: Pick<SeenSessions, 'list' | 'find'>;
}

// biome-ignore format: a table
export const SESSION_ROUTES: readonly OwnRoute<SessionRouteDeps>[] = [
  { route: 'GET /api/sessions', access: 'any', note: "the caller's own; for an admin all", summary: "One's own sessions; as an admin, all", yes: [200, z.array(SESSION)], handler: list },
  { route: 'DELETE /api/sessions/{id}', access: 'any', writes: true, note: "the caller's own; for an admin any", summary: 'End a session', yes: [200, SUCCESS], no: [404], handler: end },
];

async function list(ctx: RouteContext, { seenSessions }: SessionRouteDeps): Promise<void> {
  const { caller } = ctx.state;
  if (!caller) return refuseFor(ctx, 'no-credentials');
  const seen = await seenSessions.list(isAdministrator(caller) ? undefined : caller.name);
  const known = seen.filter((session) => mayKnow(caller, session));
  respond(
    ctx,
    200,
    known.map((session) => shown(session, caller)),
  );
}

/** The sessions of the caller's own account. An API token, or a proxy's user of the same name, is not that account. */
const mayKnow = (caller: Caller, { user }: SeenSession): boolean =>
  isAdministrator(caller) || (caller.credential.kind === 'session' && caller.name === user);

const shown = (
  { id, user, address, agent, since, lastSeen, expiresAt }: SeenSession,
  { credential }: Caller,
): z.output<typeof SESSION> => ({
  id,
  user,
  address,
  agent,
  since,
  last_seen: lastSeen,
  expires_at: expiresAt,
  current: credential.kind === 'session' && credential.tokenId === id,
});

/** The session of another user answers 404, as an unknown one does. */
async function end(ctx: RouteContext, deps: SessionRouteDeps): Promise<void> {
  const { caller } = ctx.state;
  if (!caller) return refuseFor(ctx, 'no-credentials');
  const id = ctx.params['id'] ?? '';
  const session = await deps.seenSessions.find(id);
  if (!session || !mayKnow(caller, session)) return refuse(ctx, 404, 'There is no such session');
  if (!mayManageAccounts(caller)) return refuseFor(ctx, 'person-needed');
  const isOwn = caller.credential.kind === 'session' && caller.name === session.user;
  if (!isOwn && deps.asksProof(caller, 'credentials')) return refuseFor(ctx, 'reauthentication-required');
  await deps.sessions.revoke(id, session.expiresAt);
  record(ctx, deps, { what: 'session-ended', sessionId: id, user: session.user });
  respond(ctx, 200, { success: true });
}
