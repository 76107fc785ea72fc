/** `PUT /api/config/set`: changes of `auth.roles` are made here, the rest is forwarded to the NVR (SPEC 4.3). */
import type Koa from 'koa';
import { isAdministrator, mayManageAccounts } from '../../domain/caller.ts';
import { BODY_LIMITS } from '../../domain/read-body.ts';
import { ok, type Result } from '../../domain/result.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { ANY, BODY_NO } from '../../routes/shapes.ts';
import { type BodyFault, readJson } from '../http/read-json.ts';
import { refuse, refuseBody, refuseFor, respond } from '../http/responses.ts';
import { type AccountResponseDeps, isProven, mayStill, record } from '../http/route-guards.ts';
import { splitConfigSet } from './config-set.ts';
import { isAmong, type RoleRouteDeps, respondWithRoles } from './role-routes.ts';

/** The NVR's own page of roles: Postern keeps those, and forwards the rest. */
// biome-ignore format: a table
export const CONFIG_SET_ROUTES: readonly OwnRoute<RoleRouteDeps>[] = [
  { route: 'PUT /api/config/set', access: 'admin', forwarded: true, summary: 'Roles, as the pages of the NVR send them; the rest goes to the NVR', body: ANY, yes: [200, ANY], no: [...BODY_NO, 404, 409, 502, 504], handler: configSet },
];

async function configSet(ctx: RouteContext, deps: RoleRouteDeps, next: Koa.Next): Promise<void> {
  const { caller } = ctx.state;
  if (!caller || !isAdministrator(caller)) return refuseFor(ctx, caller ? 'role-too-low' : 'no-credentials');
  const body = await bodyOf(ctx, deps);
  if (!body.ok) return refuseBody(ctx, body.error);
  if (!(await mayStill(ctx, deps))) return;
  const split = splitConfigSet(ctx.querystring, body.value);
  if (!split.ok) {
    record(ctx, deps, { what: 'custom-role-changed' }, 'not-a-role');
    return refuse(ctx, 400, split.error);
  }
  const { roles: wanted, rest } = split.value;
  if (wanted.size > 0 && !mayManageAccounts(caller)) return refuseFor(ctx, 'person-needed');
  if (wanted.size > 0 && !isProven(ctx, deps, 'roles')) return;
  if (wanted.size > 0) {
    const isHere = (entry: string): boolean => !deps.hasSites || isAmong(entry, deps.knownCameras());
    const outcome = await deps.customRoles.changeHere(wanted, isHere);
    if (!respondWithRoles(ctx, deps, outcome, [...wanted.keys()])) return;
  }
  if (!rest)
    return respond(ctx, 200, {
      success: true,
      message: 'The roles are changed. The change holds from the next request on.',
    });
  const text = rest.body === undefined ? '' : JSON.stringify(rest.body);
  ctx.state.sentInstead = { query: rest.query, body: Buffer.from(text) };
  await next();
}

/** Older clients send everything in the query and no body. */
async function bodyOf(
  { req }: RouteContext,
  { bodySeconds }: AccountResponseDeps,
): Promise<Result<unknown, BodyFault>> {
  const isEmpty = req.headers['transfer-encoding'] === undefined && Number(req.headers['content-length'] ?? 0) === 0;
  return isEmpty ? ok(undefined) : readJson(req, { bytes: BODY_LIMITS.nvrConfig, seconds: bodySeconds() });
}
