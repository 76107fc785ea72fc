/** What another set of rules would have made of a request: the difference between two verdicts, and how to come by the second (SPEC 15). Pure. */
import type { Caller } from '../../domain/caller.ts';
import { bothScopes, isSameScope, scopeOfRole } from '../../domain/camera-scope.ts';
import type { PolicyRow } from '../../domain/policy.ts';
import { rightsOfRole } from '../../domain/rights/rights.ts';
import type { RolesInForce } from '../../domain/rights/role-limits.ts';
import type { AccessVerdict } from '../access-verdict.ts';

/**
 * `gains`: it is refused now and would not be; `loses`: the other way round; `cameras`: it would show other cameras;
 * `narrowing`: the same ones, but asked for or cut in another way.
 */
export const SHADOW_KINDS = ['gains', 'loses', 'cameras', 'narrowing'] as const;
export type ShadowKind = (typeof SHADOW_KINDS)[number];

/** Undefined when both come to the same. */
export function differenceOf(current: AccessVerdict, other: AccessVerdict): ShadowKind | undefined {
  if (current.kind === 'refused') return other.kind === 'refused' ? undefined : 'gains';
  if (other.kind === 'refused') return 'loses';
  if (!isSameList(camerasOf(current), camerasOf(other))) return 'cameras';
  return isSameWork(current, other) ? undefined : 'narrowing';
}

type Allowed = Exclude<AccessVerdict, { kind: 'refused' }>;

const NONE: readonly string[] = [];

/** Undefined: the response is passed on without a look at cameras. */
function camerasOf(verdict: Allowed): readonly string[] | undefined {
  if (verdict.kind === 'nothing-visible') return NONE;
  const view = verdict.obligations?.view;
  return view?.clearance === 'restricted' ? view.cameras : undefined;
}

const isSameList = (one: readonly string[] | undefined, other: readonly string[] | undefined): boolean =>
  one === other ||
  (one !== undefined && one.length === other?.length && one.every((camera, index) => camera === other[index]));

function isSameWork(current: Allowed, other: Allowed): boolean {
  if (current.kind === 'nothing-visible' || other.kind === 'nothing-visible')
    return current.kind === other.kind && 'body' in current && 'body' in other && current.body === other.body;
  if (current.target.path !== other.target.path || current.target.query !== other.target.query) return false;
  const [one, two] = [current.obligations, other.obligations];
  if (!one || !two) return one === two;
  const { view, ...work } = one;
  const { view: otherView, ...otherWork } = two;
  if (view.clearance !== otherView.clearance || view.since !== otherView.since) return false;
  const names = Object.keys(work);
  return names.length === Object.keys(otherWork).length && names.every((name) => isSameValue(work, otherWork, name));
}

function isSameValue(one: object, other: object, name: string): boolean {
  const [value, otherValue] = [Reflect.get(one, name), Reflect.get(other, name)];
  return value === otherValue || (typeof value === 'object' && JSON.stringify(value) === JSON.stringify(otherValue));
}

/**
 * The caller under other roles. A credential that sees less than its role keeps what both leave. When the role was given is
 * not known here: `history_since: grant` is taken from the caller.
 */
export function callerUnder(caller: Caller, now: RolesInForce, then: RolesInForce, seconds: number): Caller {
  const { denied: _, history, closed: __, changesAt: ___, ...who } = caller;
  const rights = rightsOfRole(caller.role, then, seconds, history?.from ?? 0);
  const isWhole = isSameScope(caller.scope, scopeOfRole(caller.role, now.cameras));
  return { ...who, ...rights, scope: isWhole ? rights.scope : bothScopes(caller.scope, rights.scope) };
}

/** What a role is worth, as a text that is the same for the same rights. */
export const roleText = (role: Caller['role'], { cameras, limits, zone }: RolesInForce): string =>
  JSON.stringify([cameras.get(role), limits.get(role), zone]);

/** What a row says, without its place. */
export const rowText = ({ file: _, line: __, note: ___, ...row }: PolicyRow): string => JSON.stringify(row);
