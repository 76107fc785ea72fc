/** Shadow mode: another configuration judges live traffic beside the one in force; differences are counted and listed (SPEC 15). */

import { refused } from '../../access/access-verdict.ts';
import { authorize } from '../../access/authorize.ts';
import type { RecorderLayout } from '../../access/recorder-layout.ts';
import { callerUnder, differenceOf, roleText, rowText, type ShadowKind } from '../../access/review/shadow-verdict.ts';
import { compileRouteTable, type RouteMatch, type RouteTable } from '../../access/route-table.ts';
import type { Caller } from '../../domain/caller.ts';
import type { PolicyRow } from '../../domain/policy.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import type { RequestFacts, RequestTarget } from '../../domain/request.ts';
import type { RolesInForce } from '../../domain/rights/role-limits.ts';
import type { ShadowDifference } from '../../domain/status.ts';
import type { Admission } from '../../gateway/decision/admit.ts';
import { parseTarget } from '../../gateway/decision/strict-target.ts';

/** What a configuration file says of rights. */
export interface RightsOfConfig {
  readonly rows: readonly PolicyRow[];
  /** `auth.roles`. */
  readonly roles: RolesInForce;
}

export interface ShadowDeps {
  /** In force. */
  readonly current: RightsOfConfig;
  /** Of the other file. */
  readonly other: RightsOfConfig;
  /** Of the table in force, compiled. */
  readonly routes: RouteTable;
  /** File and store together, as last read. */
  readonly rolesInForce: () => RolesInForce;
  readonly layout: () => RecorderLayout | undefined;
  /** Unix seconds. */
  readonly seconds: () => number;
  readonly onDifference: (kind: ShadowKind) => void;
}

export interface Shadow {
  /** Enforces nothing. */
  onDecision(request: RequestFacts, admission: Admission): void;
  /** The latest first. */
  list(): readonly ShadowDifference[];
}

/** A list for a person's eyes, which no client can make grow. */
const MOST_LISTED = 200;

/** Refusals by rights. Others, such as a bad token or a request that is not plain, are the same under any rights. */
const BY_RIGHTS: ReadonlySet<RefusalReason> = new Set<RefusalReason>([
  'no-credentials',
  'role-too-low',
  'route-unlisted',
  'path-not-found',
  'camera-not-in-role',
  'name-not-unique',
  'verb-denied',
  'not-narrowable',
  'field-admin-only',
  'history-too-old',
  'history-not-judged',
  'outside-hours',
]);

export function createShadow(deps: ShadowDeps): Shadow {
  const { routes, rolesInForce, layout, seconds } = deps;
  const table = compileRouteTable(deps.other.rows);
  const roles = rolesUnder(deps);
  const hasSameRow = rowsCompared();
  const listed = new Map<string, ShadowDifference>();

  const note = (kind: ShadowKind, caller: Caller | undefined, match: RouteMatch, request: RequestFacts): void => {
    deps.onDifference(kind);
    const role = caller?.role ?? null;
    const route = match.kind === 'listed' ? `${request.method} ${match.row.path}` : null;
    const key = JSON.stringify([kind, role, route]);
    const known = listed.get(key);
    if (!known && listed.size >= MOST_LISTED) return;
    listed.set(key, { kind, role, route, count: (known?.count ?? 0) + 1, lastSeenAt: seconds() });
  };

  const judge = (request: RequestFacts, caller: Caller | undefined, target: RequestTarget): void => {
    const method = request.isUpgrade ? 'WS' : request.method;
    const match = table.match(method, target.segments);
    const before = routes.match(method, target.segments);
    if (hasSameRow(before, match) && roles.isSame(caller)) return;
    const surroundings = { layout: layout(), now: seconds() };
    const verdictOf = (who: Caller | undefined, row: RouteMatch) =>
      who?.closed ? refused(who.closed.reason) : authorize(who, row, target, surroundings);
    const under = caller && callerUnder(caller, rolesInForce(), roles.current(), surroundings.now);
    const kind = differenceOf(verdictOf(caller, before), verdictOf(under, match));
    if (kind) note(kind, caller, kind === 'gains' || before.kind === 'unlisted' ? match : before, request);
  };

  return {
    list: () => [...listed.values()].sort((one, other) => other.lastSeenAt - one.lastSeenAt),
    onDecision(request, admission) {
      const { caller } = admission;
      // A link is worth one thing of its maker, at another path than the one that was asked for.
      if (caller?.credential.kind === 'link' || request.linkSecret !== undefined) return;
      if (admission.kind === 'refused' && !BY_RIGHTS.has(admission.reason)) return;
      // Most requests: rows that say the same, for a role that is the same.
      if (admission.kind === 'admitted' && roles.isSame(caller)) {
        const method = request.isUpgrade ? 'WS' : request.method;
        if (hasSameRow(admission.route, table.match(method, admission.target.segments))) return;
      }
      const target = parseTarget(request.target);
      if (target) judge(request, caller, target);
    },
  };
}

/** Rows of two tables, by what they say: a text is made once for each row. */
function rowsCompared(): (one: RouteMatch, other: RouteMatch) => boolean {
  const numbers = new Map<string, number>();
  const known = new WeakMap<PolicyRow, number>();
  const numberOf = (match: RouteMatch): number => {
    if (match.kind === 'unlisted') return -1;
    const remembered = known.get(match.row);
    if (remembered !== undefined) return remembered;
    const text = rowText(match.row);
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    known.set(match.row, number);
    return number;
  };
  return (one, other) => numberOf(one) === numberOf(other);
}

/** Roles of the store hold under both configurations, where the file has none of that name. Made again when they change. */
function rolesUnder({ current: ours, other, rolesInForce }: ShadowDeps) {
  let of: RolesInForce | undefined;
  let current = other.roles;
  let same = new Map<string, boolean>();
  const refresh = (): RolesInForce => {
    const inForce = rolesInForce();
    if (inForce === of) return inForce;
    of = inForce;
    same = new Map();
    const isStored = ([role]: readonly [Caller['role'], unknown]): boolean => !ours.roles.cameras.has(role);
    current = {
      ...other.roles,
      cameras: new Map([...[...inForce.cameras].filter(isStored), ...other.roles.cameras]),
      limits: new Map([...[...inForce.limits].filter(isStored), ...other.roles.limits]),
    };
    return inForce;
  };
  return {
    current: (): RolesInForce => {
      refresh();
      return current;
    },
    isSame(caller: Caller | undefined): boolean {
      if (!caller) return true;
      const inForce = refresh();
      const remembered = same.get(caller.role);
      if (remembered !== undefined) return remembered;
      const isSame = roleText(caller.role, inForce) === roleText(caller.role, current);
      same.set(caller.role, isSame);
      return isSame;
    },
  };
}
