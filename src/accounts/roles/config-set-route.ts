/** `PUT /api/config/set`: changes of `auth.roles` are made here, the rest is forwarded to the NVR (SPEC 4.3). */
import type Koa from 'koa';
import { isAdministrator } from '../../domain/caller.ts';
import { mayManageAccounts } from '../../domain/credentials.ts';
import { isRecord, type JsonRecord } from '../../domain/json.ts';
import { BODY_LIMITS } from '../../domain/read-body.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { ANY, BODY_NO } from '../../routes/shapes.ts';
import { type BodyFault, readJson } from '../http/read-json.ts';
import { refuse, refuseBody, refuseFor, respond } from '../http/responses.ts';
import { type AccountResponseDeps, isProven, mayStill, record } from '../http/route-guards.ts';
import { isAmong, type RoleRouteDeps, respondWithRoles } from './role-routes.ts';
import type { WantedRoles } from './roles.ts';

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

interface ConfigSet {
  readonly roles: WantedRoles;
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
    const roles = rolesOf(updatesOf(own));
    if (!roles.ok) return roles;
    const rest = { query: others.join('&'), body: isRecord(body) ? without(body, 'config_data') : body };
    return ok({ roles: roles.value, rest: others.length > 0 ? rest : undefined });
  }
  const config = isRecord(body) ? body['config_data'] : undefined;
  if (!isRecord(body) || !isRecord(config)) return ok({ roles: new Map(), rest: { query, body } });
  const own = Object.entries(config).filter(([key]) => isOwn(key));
  const roles = rolesOf(own.flatMap(([key, value]) => flattened(segmentsOf(key), value)));
  if (!roles.ok) return roles;
  const others = Object.fromEntries(Object.entries(config).filter(([key]) => !isOwn(key)));
  const isAllOurs = own.length > 0 && Object.keys(others).length === 0;
  return ok({ roles: roles.value, rest: isAllOurs ? undefined : { query, body: { ...body, config_data: others } } });
}

const without = (record: JsonRecord, name: string): JsonRecord =>
  Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));

const decoded = (text: string): string => new URLSearchParams(`x=${text}`).get('x') ?? '';
const keyOf = (pair: string): string => decoded(pair.split('=', 1)[0] ?? '');
const textOf = (pair: string): string => decoded(pair.slice(pair.split('=', 1)[0]?.length).replace(/^=/, ''));

/** A dot separates, and `\.` may stand for one in a name: newer NVRs write it so. */
const segmentsOf = (key: string): readonly string[] => key.replaceAll('\\', '').split('.');
const isOwn = (key: string): boolean => OWN_SECTIONS.includes(segmentsOf(key)[0]?.trim() ?? '');

/** Values of one key together, in the order of the keys. */
const updatesOf = (pairs: readonly string[]): readonly Update[] =>
  [...Map.groupBy(pairs, keyOf)].map(([key, same]) => {
    const [value = '', ...more] = same.map(textOf);
    return [segmentsOf(key), more.length > 0 ? [value, ...more] : value];
  });

/** Objects inside, as far as the names of roles: `auth.roles.NAME`. */
function flattened(path: readonly string[], value: unknown): readonly Update[] {
  if (!isRecord(value) || path.length > 2) return [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) => flattened([...path, ...segmentsOf(key)], inner));
}

function rolesOf(updates: readonly Update[]): Result<WantedRoles, string> {
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
