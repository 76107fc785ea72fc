/** `/api/roles`: custom roles made, changed and deleted while the service runs (interface 2.2; SPEC 4.3). */
import { z } from 'zod';
import { scopeOf, visibleCameras } from '../../domain/camera-scope.ts';
import type { CameraName } from '../../domain/names.ts';
import { BODY_LIMITS } from '../../domain/read-body.ts';
import type { Result } from '../../domain/result.ts';
import type { OwnRoute, RouteContext, RouteHandler } from '../../routes/own-route.ts';
import { ANY, BODY_NO, named, SUCCESS } from '../../routes/shapes.ts';
import { ROLE } from '../http/answers.ts';
import { NAMED, unknownFields } from '../http/body-fields.ts';
import { refuse, refuseFields, respond } from '../http/responses.ts';
import { type AccountResponseDeps, afterProof, fieldsOf, forAdmins, jsonOf, record } from '../http/route-guards.ts';
import type { RoleFault, RoleRefusal, Roles, RolesChanged } from './roles.ts';

export interface RoleRouteDeps extends AccountResponseDeps {
  readonly customRoles: Roles;
  /** None while they are not known yet. */
  readonly knownCameras: () => readonly CameraName[];
  /** `server.site` is set: a role may name cameras of other NVRs. */
  readonly hasSites: boolean;
}

/** Null takes a limit away, and what is left out stays. */
const { deny, hours, history_since } = ROLE.shape;
const CHANGED_ROLE = named(
  'RoleCameras',
  z.object({
    cameras: z.array(z.string()).min(1).meta({ description: 'Names; "*" stands for any text' }),
    deny: deny.nullable(),
    hours: hours.nullable(),
    history_since: history_since.nullable(),
  }),
);

// biome-ignore format: a table
const STATUS_OF: Readonly<Record<RoleFault, number>> = {
  'name-invalid':    400,
  'cameras-invalid': 400,
  'limits-invalid':  400,
  'role-fixed':      409,
  'role-absent':     404,
};

// biome-ignore format: a table
export const ROLE_ROUTES: readonly OwnRoute<RoleRouteDeps>[] = [
  { route: 'GET /api/roles', access: 'admin', compressed: true, summary: 'All roles', yes: [200, z.array(ROLE)],
    handler: forAdmins(async (ctx, { customRoles }) => respond(ctx, 200, await customRoles.list())) },
  { route: 'PUT /api/roles/{role}', access: 'admin', summary: 'Create or change a role', body: CHANGED_ROLE, yes: [200, ANY], no: [...BODY_NO, 409], handler: changing(save) },
  { route: 'POST /api/roles/delete', access: 'admin', note: 'for names that cannot stand in a path', summary: 'Remove a role whose name cannot stand in a path', body: NAMED, yes: [200, SUCCESS], no: [...BODY_NO, 404, 409], handler: changing(removeByBody) },
  { route: 'DELETE /api/roles/{role}', access: 'admin', summary: 'Remove a role; its users become viewers', yes: [200, SUCCESS], no: [404, 409], handler: changing((ctx, deps) => remove(ctx, deps, ctx.params['role'] ?? '')) },
];

function changing(handler: RouteHandler<RoleRouteDeps>): RouteHandler<RoleRouteDeps> {
  return forAdmins(afterProof('roles', handler));
}

async function save(ctx: RouteContext, deps: RoleRouteDeps): Promise<void> {
  const name = ctx.params['role'] ?? '';
  const body = await jsonOf(ctx, deps, BODY_LIMITS.cameraList);
  if (!body) return;
  const unknown = unknownFields(CHANGED_ROLE, body.json);
  if (unknown.length > 0) return refuseFields(ctx, unknown);
  const { cameras, ...limits } = Object(body.json);
  if (!Array.isArray(cameras)) return refuseFields(ctx, [NO_LIST]);
  const outcome = await deps.customRoles.change(new Map([[name, { cameras, limits }]]));
  if (respondWithRoles(ctx, deps, outcome, [name]))
    respond(ctx, 200, { success: true, ...warningOf(name, cameras, deps) });
}

async function remove(ctx: RouteContext, deps: RoleRouteDeps, name: string): Promise<void> {
  const outcome = await deps.customRoles.change(new Map([[name, null]]));
  if (respondWithRoles(ctx, deps, outcome, [name])) respond(ctx, 200, { success: true });
}

/** Removes names that cannot stand in a path: `.` and `..` were allowed once. */
async function removeByBody(ctx: RouteContext, deps: RoleRouteDeps): Promise<void> {
  const body = await fieldsOf(ctx, deps, NAMED);
  if (body) await remove(ctx, deps, body.name);
}

const NO_LIST = { loc: ['body', 'cameras'], msg: 'Input should be a list of camera names', type: 'list_type' };

/** True when the change was made; otherwise the response is the refusal. */
export function respondWithRoles(
  ctx: RouteContext,
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
  const strange = known.length > 0 ? cameras.filter((entry) => !isAmong(entry, known)) : [];
  if (strange.length === 0) return {};
  return { message: `The role ${name} is saved, but this NVR has no camera ${strange.join(', ')} now` };
}

/** Whether the entry names one of the cameras. */
export const isAmong = (entry: string, cameras: readonly CameraName[]): boolean =>
  visibleCameras(scopeOf([entry]), cameras).length > 0;
