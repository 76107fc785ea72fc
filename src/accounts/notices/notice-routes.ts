/** `/api/account/events`: what happened to one's own account lately; for an admin to that of any user (SPEC 12). */
import Router from 'koa-router';
import type { Notice, NoticeStore } from '../../domain/accounts/notice.ts';
import { isAdministrator } from '../../domain/caller.ts';
import type { RouteState } from '../../domain/verdict.ts';
import { refuse, refuseFor, refuseMethod, respond } from '../http/responses.ts';
import type { AccountRouterContext } from '../http/route-guards.ts';

export interface NoticeRouteDeps {
  readonly noticeStore: Pick<NoticeStore, 'listNotices'>;
}

const MOST_SHOWN = 100;
const NO_ACCOUNT = 'These events belong to an account: log in with its password, or as an admin name one by ?user=';

export function createNoticeRoutes({ noticeStore }: NoticeRouteDeps): Router<RouteState> {
  const router = new Router<RouteState>({ strict: true, sensitive: true });
  router.get('/api/account/events', async (ctx) => {
    const name = whose(ctx);
    if (name !== undefined) respond(ctx, 200, (await noticeStore.listNotices(name, MOST_SHOWN)).map(shown));
  });
  router.all('/api/account/events', refuseMethod('GET, HEAD'));
  return router;
}

/** Undefined when the response is set already. A token or a proxy's user of the same name is not that account. */
function whose(ctx: AccountRouterContext): string | undefined {
  const { caller } = ctx.state;
  if (!caller) return void refuseFor(ctx, 'no-credentials');
  const wanted = new URLSearchParams(ctx.querystring).get('user');
  if (wanted !== null && wanted !== caller.name)
    return isAdministrator(caller) ? wanted : void refuseFor(ctx, 'role-too-low');
  const isOwn = caller.credential.kind === 'session' || isAdministrator(caller);
  return isOwn ? caller.name : void refuse(ctx, 403, NO_ACCOUNT);
}

const shown = ({ id, user, kind, at, by, from, agent, detail }: Notice) => ({
  id,
  user,
  event: kind,
  at,
  by: by ?? null,
  address: from,
  agent: agent ?? null,
  detail: detail ?? null,
});
