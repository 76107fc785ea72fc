/** `/api/sessions`: lists and ends sessions: the caller's own, for an admin those of all users (SPEC 4.2). */
import Router from 'koa-router';
import type { SeenSession } from '../../domain/accounts/session-store.ts';
import { type Caller, isAdministrator, mayManageAccounts } from '../../domain/caller.ts';
import type { RouteState } from '../../domain/verdict.ts';
import { refuse, refuseFor, refuseMethod, respond } from '../http/responses.ts';
import { type AccountResponseDeps, type AccountRouterContext, record } from '../http/route-guards.ts';
import type { SeenSessions } from './seen-sessions.ts';
import type { Sessions } from './sessions.ts';

export interface SessionRouteDeps extends AccountResponseDeps {
  readonly sessions: Pick<Sessions, 'revoke'>;
  readonly seenSessions: Pick<SeenSessions, 'list' | 'find'>;
}

export function createSessionRoutes(deps: SessionRouteDeps): Router<RouteState> {
  const router = new Router<RouteState>({ strict: true, sensitive: true });
  router.get('/api/sessions', (ctx) => list(ctx, deps)).all('/api/sessions', refuseMethod('GET, HEAD'));
  router.delete('/api/sessions/:id', (ctx) => end(ctx, deps)).all('/api/sessions/:id', refuseMethod('DELETE'));
  return router;
}

async function list(ctx: AccountRouterContext, { seenSessions }: SessionRouteDeps): Promise<void> {
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

const shown = ({ id, user, address, agent, since, lastSeen, expiresAt }: SeenSession, { credential }: Caller) => ({
  id,
  user,
  address,
  agent,
  since,
  last_seen: lastSeen,
  expires_at: expiresAt,
  /** Whether this request was made with it. */
  current: credential.kind === 'session' && credential.tokenId === id,
});

/** The session of another user answers 404, as an unknown one does. */
async function end(ctx: AccountRouterContext, deps: SessionRouteDeps): Promise<void> {
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
