/** `/api/roles`: custom roles made, changed and deleted while the service runs; and `PUT /api/config/set`, of which changes of `auth.roles` are made here and the rest is forwarded to the NVR (interface 2.2; SPEC 4.3). */
import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import { isAdministrator } from '../../domain/caller.ts';
import { toScope, visibleCameras } from '../../domain/camera-scope.ts';
import { mayManageAccounts } from '../../domain/credentials.ts';
import { isRecord, mapMembers } from '../../domain/json.ts';
import { ADMIN, type CameraName, type Role, VIEWER } from '../../domain/names.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { heldBy } from '../../domain/rights.ts';
import { BODY_LIMITS } from '../../routes/read-body.ts';
import { ANY, answer, BODY_NO, described, SUCCESS } from '../../routes/shapes.ts';
import { ROLE } from '../http/answers.ts';
import { NAMED, NO_CAMERA_LIST } from '../http/json-body.ts';
import { ANSWERED, type Call, declaring, Refused, refusedFields, refusedFor, unfit } from '../http/kernel.ts';
import { changeRoles, type WantedRoles } from './roles.ts';

/** Null takes a limit away, and what is left out stays. */
const { deny, hours, history_since } = ROLE.shape;
const CHANGED_ROLE = described('RoleCameras', {
  cameras: z.array(z.string()).min(1).meta({ description: 'Names; "*" stands for any text' }),
  deny: deny.nullable(),
  hours: hours.nullable(),
  history_since: history_since.nullable(),
});

type RoleServices = Pick<Services, 'store' | 'roleRegistry'>;

const route = declaring<Services>();
const CHANGE = { access: 'admin', who: 'admin', proof: 'roles' } as const;

// biome-ignore format: a table
export const ROLE_ROUTES = [
  route({ route: 'GET /api/roles', access: 'admin', who: 'admin', compressed: true, summary: 'All roles', yes: [200, z.array(ROLE)], run: list }),
  route({ route: 'PUT /api/roles/{role}', ...CHANGE, summary: 'Create or change a role', body: CHANGED_ROLE, reads: 'names', bytes: BODY_LIMITS.cameraList, yes: [200, ANY], no: [...BODY_NO, 409], run: save }),
  route({ route: 'POST /api/roles/{role}/take-over', access: 'admin', who: 'admin', proof: 'settings', summary: 'Copy a role of the configuration file into the store', act: 'custom-role-changed', yes: [200, SUCCESS], no: [404], run: takeOver }),
  route({ route: 'POST /api/roles/delete', ...CHANGE, note: 'for names that cannot stand in a path', summary: 'Remove a role whose name cannot stand in a path', body: NAMED, yes: [200, SUCCESS], no: [...BODY_NO, 404, 409], run: (call, deps) => remove(call, deps, call.body.name) }),
  route({ route: 'DELETE /api/roles/{role}', ...CHANGE, summary: 'Remove a role; its users become viewers', yes: [200, SUCCESS], no: [404, 409], run: (call, deps) => remove(call, deps, call.params['role'] ?? '') }),
];

const EVERY_CAMERA = ['*'];

async function list(_: Call, { store, roleRegistry }: RoleServices): Promise<object> {
  const [users, { cameras, limits }] = await Promise.all([store.accounts.listUsers(), roleRegistry.active()]);
  const shown = (role: Role, entries: readonly string[], source: 'builtin' | 'file' | 'store') => {
    const { deny = [], hours, historySince } = limits.get(role) ?? {};
    const takenOver = source === 'file' && roleRegistry.isTakenOver(role) ? (true as const) : undefined;
    const holders = users.filter((user) => heldBy(user).includes(role)).length;
    const limit = { deny: deny.length > 0 ? deny : undefined, hours: hours?.texts, historySince: historySince?.text };
    return answer(ROLE, { ...{ role, cameras: entries, source, takenOver }, users: holders, ...limit });
  };
  const custom = [...cameras].map(([role, entries]) =>
    shown(role, entries, roleRegistry.fixed.has(role) ? 'file' : 'store'),
  );
  return [...[ADMIN, VIEWER].map((role) => shown(role, EVERY_CAMERA, 'builtin')), ...custom];
}

async function save(
  call: Call<Readonly<Record<string, unknown>>>,
  deps: RoleServices & Pick<Services, 'knownCameras'>,
): Promise<object> {
  const { role = '' } = call.params;
  const { cameras, ...limits } = call.body;
  if (!Array.isArray(cameras)) throw refusedFields([NO_CAMERA_LIST]);
  await change(call, new Map([[role, { cameras, limits }]]), deps);
  return { success: true, ...warningOf(role, cameras, deps) };
}

/** Copies a role of the file into the store, where it counts once the file has it no more. */
async function takeOver({ params, note }: Call, { store, roleRegistry }: RoleServices): Promise<void> {
  const { role = '' } = params;
  const inFile = roleRegistry.inFile(role as Role);
  if (!inFile) throw unfit('role-absent', `The configuration file has no role ${role}`, 404);
  await store.roles.changeRoles({ saved: [inFile], deleted: [] });
  note({ role });
}

const remove = (call: Call<unknown>, deps: RoleServices, name: string): Promise<void> =>
  change(call, new Map([[name, null]]), deps);

/** Records what was changed, or the refusal of each role. */
async function change({ record }: Pick<Call, 'record'>, wanted: WantedRoles, deps: RoleServices): Promise<void> {
  const { saved, deleted, newViewers } = await changeRoles(wanted, deps).catch((fault: unknown) => {
    const reason = fault instanceof Refused ? fault.recorded : undefined;
    if (reason) for (const role of wanted.keys()) record({ what: 'custom-role-changed', role }, reason);
    throw fault;
  });
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
const isAmong = (entry: string, cameras: readonly CameraName[]): boolean =>
  visibleCameras(toScope([entry]), cameras).length > 0;

/** The NVR's own page of roles: Postern keeps those, and forwards the rest. Older clients send everything in the query and no body. */
// biome-ignore format: a table
export const CONFIG_SET_ROUTES = [
  route({ route: 'PUT /api/config/set', access: 'admin', forwarded: true, summary: 'Roles, as the pages of the NVR send them; the rest goes to the NVR', body: ANY, reads: 'maybe', bytes: BODY_LIMITS.nvrConfig, yes: [200, ANY], no: [...BODY_NO, 404, 409, 502, 504],
    before: forAdministrators, run: configSet }),
];

/** A token that may not manage accounts may still send what is the NVR's. */
function forAdministrators({ caller }: Call): void {
  if (!isAdministrator(caller)) throw refusedFor('role-too-low');
}

async function configSet(
  call: Call,
  deps: RoleServices & Pick<Services, 'knownCameras' | 'settings'>,
): Promise<object> {
  const { caller, body, ctx, prove, record, next } = call;
  const split = splitConfigSet(ctx?.querystring ?? '', body);
  if (!split.ok) {
    record({ what: 'custom-role-changed' }, 'not-a-role');
    throw new Refused(400, 'fields-invalid', split.error);
  }
  const { roles: wanted, rest } = split.value;
  if (wanted.size > 0) {
    if (!mayManageAccounts(caller)) throw refusedFor('person-needed');
    prove('roles');
    // A page of the NVR knows its own cameras alone: entries of a role that name none of them stay.
    const isHere = (entry: string) => !deps.store.hasOtherNvrs || isAmong(entry, deps.knownCameras());
    const before = await deps.roleRegistry.latest();
    const elsewhere = (name: string) => (before.get(name as Role) ?? []).filter((entry) => !isHere(entry));
    const whole = [...wanted].map(
      ([name, cameras]) => [name, cameras && { cameras: [...elsewhere(name), ...cameras] }] as const,
    );
    await change(call, new Map(whole), deps);
  }
  if (!rest || !ctx)
    return { success: true, message: 'The roles are changed. The change holds from the next request on.' };
  const text = rest.body === undefined ? '' : JSON.stringify(rest.body);
  ctx.state.sentInstead = { query: rest.query, body: Buffer.from(text) };
  await next?.();
  return ANSWERED;
}

interface ConfigSet {
  /** Their cameras by name; null for a role that is deleted. */
  readonly roles: ReadonlyMap<string, readonly unknown[] | null>;
  /** What is left for the NVR; undefined when the request was about roles alone. */
  readonly rest: { readonly query: string; readonly body: unknown } | undefined;
}

type Update = readonly [path: readonly string[], value: unknown];

const OWN_SECTIONS: readonly string[] = ['auth', 'proxy'];

/**
 * Splits the request as the NVR reads it: what stands in the query wins, and `config_data` then counts for nothing. Errs with
 * a sentence.
 */
export function splitConfigSet(query: string, body: unknown): Result<ConfigSet, string> {
  const pairs = query.split('&').filter((pair) => keyOf(pair) !== '');
  if (pairs.length > 0) {
    const own = pairs.filter((pair) => isOwn(keyOf(pair)));
    const others = pairs.filter((pair) => !own.includes(pair));
    const roles = readRoles(readUpdates(own));
    if (!roles.ok) return roles;
    const rest = {
      query: others.join('&'),
      body: isRecord(body) ? mapMembers(body, (value, key) => (key === 'config_data' ? undefined : value)) : body,
    };
    return ok({ roles: roles.value, rest: others.length > 0 ? rest : undefined });
  }
  const config = isRecord(body) ? body['config_data'] : undefined;
  if (!isRecord(body) || !isRecord(config)) return ok({ roles: new Map(), rest: { query, body } });
  const own = Object.entries(config).filter(([key]) => isOwn(key));
  const roles = readRoles(own.flatMap(([key, value]) => flattened(splitKey(key), value)));
  if (!roles.ok) return roles;
  const others = Object.fromEntries(Object.entries(config).filter(([key]) => !isOwn(key)));
  const isAllOurs = own.length > 0 && Object.keys(others).length === 0;
  return ok({ roles: roles.value, rest: isAllOurs ? undefined : { query, body: { ...body, config_data: others } } });
}

const decoded = (text: string): string => new URLSearchParams(`x=${text}`).get('x') ?? '';
const keyOf = (pair: string): string => decoded(pair.split('=', 1)[0] ?? '');
const textOf = (pair: string): string => decoded(pair.slice(pair.split('=', 1)[0]?.length).replace(/^=/, ''));

/** A dot separates, and `\.` may stand for one in a name: newer NVRs write it so. */
const splitKey = (key: string): readonly string[] => key.replaceAll('\\', '').split('.');
const isOwn = (key: string): boolean => OWN_SECTIONS.includes(splitKey(key)[0]?.trim() ?? '');

/** Values of one key together, in the order of the keys. */
const readUpdates = (pairs: readonly string[]): readonly Update[] =>
  [...Map.groupBy(pairs, keyOf)].map(([key, same]) => {
    const [value = '', ...more] = same.map(textOf);
    return [splitKey(key), more.length > 0 ? [value, ...more] : value];
  });

/** Objects inside, as far as the names of roles: `auth.roles.NAME`. */
function flattened(path: readonly string[], value: unknown): readonly Update[] {
  if (!isRecord(value) || path.length > 2) return [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) => flattened([...path, ...splitKey(key)], inner));
}

function readRoles(updates: readonly Update[]): Result<ConfigSet['roles'], string> {
  const roles = new Map<string, readonly unknown[] | null>();
  for (const [[section, key, ...name], value] of updates) {
    if (section !== 'auth' || key !== 'roles') {
      const shown = [section, key].filter(Boolean).join('.');
      return err(`${shown} is Postern's own: change it in Postern's configuration file, not in the NVR's`);
    }
    if (name.length === 0) return err('auth.roles: name the role to change, as auth.roles.NAME');
    const cameras = camerasOf(value);
    if (cameras === undefined) return err(`auth.roles.${name.join('.')}: give a list of camera names`);
    roles.set(name.join('.'), cameras);
  }
  return ok(roles);
}

/** Null deletes, and so does an empty text. In a query a list is one text: `cam1,cam2` or `["cam1"]`. */
function camerasOf(value: unknown): readonly unknown[] | null | undefined {
  if (value === null || value === '') return null;
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string') return undefined;
  const inner = /^\s*\[(?<list>.*)\]\s*$/s.exec(value)?.groups?.['list'] ?? value;
  return inner.split(',').map((name) => name.trim().replace(/^(?<quote>["'])(.*)\k<quote>$/s, '$2'));
}
