/** `/api/account/events`: what happened to one's own account lately; for an admin to that of any user (SPEC 12). */
import { z } from 'zod';
import type { Notice } from '../../domain/accounts/notice.ts';
import { isAdministrator } from '../../domain/caller.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { ACCOUNT_EVENT } from '../http/answers.ts';
import { refuse, refuseFor, respond } from '../http/responses.ts';

export interface NoticeRouteDeps {
  /** Newest first; none of a user without an account. */
  readonly noticesOf: (user: string) => Promise<readonly Notice[]>;
}

const NO_ACCOUNT = 'These events belong to an account: log in with its password, or as an admin name one by ?user=';

// biome-ignore format: a table
export const NOTICE_ROUTES: readonly OwnRoute<NoticeRouteDeps>[] = [
  { route: 'GET /api/account/events', access: 'any', note: "of the caller's own account; for an admin of any",
    summary: "What happened to one's own account lately; as an admin, to any", query: { user: 'As an admin: whose' }, yes: [200, z.array(ACCOUNT_EVENT)],
    handler: async (ctx, { noticesOf }) => {
      const name = whose(ctx);
      if (name !== undefined) respond(ctx, 200, await noticesOf(name));
    } },
];

/** Undefined when the response is set already. A token or a proxy's user of the same name is not that account. */
function whose(ctx: RouteContext): string | undefined {
  const { caller } = ctx.state;
  if (!caller) return void refuseFor(ctx, 'no-credentials');
  const wanted = new URLSearchParams(ctx.querystring).get('user');
  if (wanted !== null && wanted !== caller.name)
    return isAdministrator(caller) ? wanted : void refuseFor(ctx, 'role-too-low');
  const isOwn = caller.credential.kind === 'session' || isAdministrator(caller);
  return isOwn ? caller.name : void refuse(ctx, 403, NO_ACCOUNT);
}
