/** `/api/roles`: custom roles made, changed and deleted while the service runs (interface 2.2; SPEC 4.3). */
import Router from 'koa-router';
import { BODY_LIMITS } from '../../domain/body-limits.ts';
import { scopeOf, visibleCameras } from '../../domain/camera-scope.ts';
import type { CameraName } from '../../domain/names.ts';
import type { Result } from '../../domain/result.ts';
import type { RouteState } from '../../domain/verdict.ts';
import { unknownFields } from '../http/body-fields.ts';
import { refuse, refuseFields, refuseMethod, respond } from '../http/responses.ts';
import {
  type AccountResponseDeps,
  type AccountRouterContext,
  afterProof,
  fieldsOf,
  forAdmins,
  type Handler,
  jsonOf,
  record,
} from '../http/route-guards.ts';
import { createRoles, type RoleDeps, type RoleFault, type RoleRefusal, type RolesChanged } from './roles.ts';

export interface RoleRouteDeps extends RoleDeps, AccountResponseDeps {
  /** None while they are not known yet. */
  readonly knownCameras: () => readonly CameraName[];
}

// biome-ignore format: a table
const STATUS_OF: Readonly<Record<RoleFault, number>> = {
  'name-invalid':    400,
  'cameras-invalid': 400,
  'limits-invalid':  400,
  'role-fixed':      409,
  'role-absent':     404,
};

export function createRoleRoutes(deps: RoleRouteDeps): Router<RouteState> {
  const roles = createRoles(deps);
  const router = new Router<RouteState>({ strict: true, sensitive: true });

  const list: Handler = async (ctx) => respond(ctx, 200, await roles.list());
  const save: Handler = async (ctx) => {
    const name = ctx.params['role'] ?? '';
    const body = await jsonOf(ctx, deps, BODY_LIMITS.cameraList);
    if (!body) return;
    const unknown = unknownFields(body.json, ['cameras', ...LIMITS]);
    if (unknown.length > 0) return refuseFields(ctx, unknown);
    const cameras = Object(body.json)['cameras'];
    if (!Array.isArray(cameras)) return refuseFields(ctx, [NO_LIST]);
    const limits = Object.fromEntries(LIMITS.map((key) => [key, Object(body.json)[key]]));
    const outcome = await roles.change(new Map([[name, { cameras, limits }]]));
    if (respondWithRoles(ctx, deps, outcome, [name]))
      respond(ctx, 200, { success: true, ...warningOf(name, cameras, deps) });
  };
  const removeNamed = async (ctx: AccountRouterContext, name: string): Promise<void> => {
    const outcome = await roles.change(new Map([[name, null]]));
    if (respondWithRoles(ctx, deps, outcome, [name])) respond(ctx, 200, { success: true });
  };
  const remove: Handler = (ctx) => removeNamed(ctx, ctx.params['role'] ?? '');
  /** Deletes a role whose name cannot stand in a path: `.` and `..` were allowed once. */
  const removeByBody: Handler = async (ctx) => {
    const body = await fieldsOf(ctx, deps, { required: ['name'] });
    if (body) await removeNamed(ctx, body.name);
  };

  const changing = (handler: Handler): Handler => forAdmins(afterProof('accounts', deps, handler));
  router.get('/api/roles', forAdmins(list)).all('/api/roles', refuseMethod('GET, HEAD'));
  router.post('/api/roles/delete', changing(removeByBody));
  router.put('/api/roles/:role', changing(save)).delete('/api/roles/:role', changing(remove));
  router.all('/api/roles/:role', refuseMethod('PUT, DELETE'));
  return router;
}

const LIMITS = ['deny', 'hours', 'history_since'] as const;
const NO_LIST = { loc: ['body', 'cameras'], msg: 'Input should be a list of camera names', type: 'list_type' };

/** True when the change was made; otherwise the response is the refusal. */
export function respondWithRoles(
  ctx: AccountRouterContext,
  deps: AccountResponseDeps,
  outcome: Result<RolesChanged, RoleRefusal>,
  names: readonly string[],
): outcome is Extract<typeof outcome, { ok: true }> {
  if (!outcome.ok) {
    for (const role of names) record(ctx, deps, { what: 'custom-role-changed', role }, outcome.error.reason);
    refuse(ctx, STATUS_OF[outcome.error.reason], outcome.error.message);
    return false;
  }
  const { saved, deleted, newViewers } = outcome.value;
  for (const role of saved) record(ctx, deps, { what: 'custom-role-changed', role });
  for (const role of deleted) record(ctx, deps, { what: 'custom-role-deleted', role });
  for (const user of newViewers) record(ctx, deps, { what: 'role-changed', user });
  return true;
}

/** A role may name a camera that is added later; more often the name is mistyped. */
function warningOf(name: string, cameras: readonly string[], { knownCameras }: RoleRouteDeps): { message?: string } {
  const known = knownCameras();
  const strange =
    known.length > 0 ? cameras.filter((entry) => visibleCameras(scopeOf([entry]), known).length === 0) : [];
  if (strange.length === 0) return {};
  return { message: `The role ${name} is saved, but there is no camera ${strange.join(', ')} now` };
}
