/** `/api/roles`: custom roles made, changed and deleted while the service runs (interface 2.2; SPEC 4.3). */

import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import { scopeOf, visibleCameras } from '../../domain/camera-scope.ts';
import type { CameraName } from '../../domain/names.ts';
import { BODY_LIMITS } from '../../domain/read-body.ts';
import type { Result } from '../../domain/result.ts';
import { ANY, BODY_NO, named, SUCCESS } from '../../routes/shapes.ts';
import { ROLE } from '../http/answers.ts';
import { NAMED, NO_CAMERA_LIST } from '../http/json-body.ts';
import { type Call, declaring, orRefused, refusedFields } from '../http/kernel.ts';
import type { RoleFault, RoleRefusal, RolesChanged } from './roles.ts';

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

const route = declaring<Services>();
const CHANGE = { access: 'admin', who: 'admin', proof: 'roles' } as const;

// biome-ignore format: a table
export const ROLE_ROUTES = [
  route({ route: 'GET /api/roles', access: 'admin', who: 'admin', compressed: true, summary: 'All roles', yes: [200, z.array(ROLE)], run: (_, { customRoles }) => customRoles.list() }),
  route({ route: 'PUT /api/roles/{role}', ...CHANGE, summary: 'Create or change a role', body: CHANGED_ROLE, reads: 'names', bytes: BODY_LIMITS.cameraList, yes: [200, ANY], no: [...BODY_NO, 409], run: save }),
  route({ route: 'POST /api/roles/delete', ...CHANGE, note: 'for names that cannot stand in a path', summary: 'Remove a role whose name cannot stand in a path', body: NAMED, yes: [200, SUCCESS], no: [...BODY_NO, 404, 409], run: (call, deps) => remove(call, deps, call.body.name) }),
  route({ route: 'DELETE /api/roles/{role}', ...CHANGE, summary: 'Remove a role; its users become viewers', yes: [200, SUCCESS], no: [404, 409], run: (call, deps) => remove(call, deps, call.params['role'] ?? '') }),
];

async function save(
  call: Call<Readonly<Record<string, unknown>>>,
  deps: Pick<Services, 'customRoles' | 'knownCameras'>,
): Promise<object> {
  const { role = '' } = call.params;
  const { cameras, ...limits } = call.body;
  if (!Array.isArray(cameras)) throw refusedFields([NO_CAMERA_LIST]);
  changed(call, [role], await deps.customRoles.change(new Map([[role, { cameras, limits }]])));
  return { success: true, ...warningOf(role, cameras, deps) };
}

async function remove(
  call: Call<unknown>,
  { customRoles }: Pick<Services, 'customRoles'>,
  name: string,
): Promise<void> {
  changed(call, [name], await customRoles.change(new Map([[name, null]])));
}

/** Records what was changed, or the refusal of each role. */
export function changed(
  { record }: Pick<Call, 'record'>,
  names: readonly string[],
  outcome: Result<RolesChanged, RoleRefusal>,
): void {
  if (!outcome.ok) for (const role of names) record({ what: 'custom-role-changed', role }, outcome.error.reason);
  const { saved, deleted, newViewers } = orRefused(outcome, STATUS_OF);
  for (const role of saved) record({ what: 'custom-role-changed', role });
  for (const role of deleted) record({ what: 'custom-role-deleted', role });
  for (const user of newViewers) record({ what: 'role-changed', user });
}

/** A role may name a camera that is added later; more often the name is mistyped. */
function warningOf(
  name: string,
  cameras: readonly string[],
  { knownCameras }: Pick<Services, 'knownCameras'>,
): { message?: string } {
  const known = knownCameras();
  const strange = known.length > 0 ? cameras.filter((entry) => !isAmong(entry, known)) : [];
  if (strange.length === 0) return {};
  return { message: `The role ${name} is saved, but this NVR has no camera ${strange.join(', ')} now` };
}

/** Whether the entry names one of the cameras. */
export const isAmong = (entry: string, cameras: readonly CameraName[]): boolean =>
  visibleCameras(scopeOf([entry]), cameras).length > 0;
