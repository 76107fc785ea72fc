/** What a user is worth at a moment: by role or roles with their limits, by the validity of the account, and by the clock (SPEC 13). Pure. */
import type { Caller, Closed, HistoryLimit, Rights } from './caller.ts';
import { bothScopes, type CustomRoles, scopeOfRole, unionOfScopes } from './camera-scope.ts';
import { parseDuration } from './clock.ts';
import { type Hours, openingAt, parseHours, wallText } from './hours.ts';
import { ADMIN, NO_ROLE, type Role, type UserName, VIEWER } from './names.ts';
import { VERBS, type Verb } from './policy.ts';
import { err, ok, type Result } from './result.ts';

/** A guest: the first and the last moment at which an account may be used, in Unix seconds; absent: no such end. */
export interface Validity {
  readonly validFrom?: number;
  readonly validUntil?: number;
}

/** What of an account its rights are made from. */
export interface RightsHolder extends Validity {
  readonly role: Role;
  readonly createdAt: number;
  /** When the role was given; absent: with the account. */
  readonly roleSince?: number;
  /** What the groups of a provider give beside `role`. */
  readonly otherRoles?: readonly Role[];
  /** The provider that gives the roles at each of its logins; absent: they are Postern's own. */
  readonly roleSource?: string;
}

/** The roles of an account; the first is the one that is shown. */
export const heldBy = ({ role, otherRoles = [] }: Pick<RightsHolder, 'role' | 'otherRoles'>): readonly Role[] => [
  role,
  ...otherRoles,
];

/** The rights of an account. `now` in whole Unix seconds. */
export function rightsOfUser(user: RightsHolder, roles: ActiveRoles, now: number): Rights {
  const rights = rightsOfRoles(heldBy(user), roles, now, grantMoment(user));
  const closed = closedByValidity(user, now, roles) ?? closedByProvider(user, roles) ?? rights.closed;
  const change = nextChange([rights.changesAt, user.validFrom, user.validUntil], now);
  return { ...withoutChange(rights), ...(closed && { closed }), ...change };
}

/** The caller that a user is now, by whichever credential. `mustEnrol`: a second factor comes first. */
export function toPerson(
  user: RightsHolder & { readonly name: UserName; readonly passwordIsGenerated?: true },
  roles: ActiveRoles,
  now: number,
  mustEnrol: boolean,
): Omit<Caller, 'credential'> {
  return {
    name: user.name,
    ...rightsOfUser(user, roles, now),
    ...(user.otherRoles && { roles: heldBy(user) }),
    ...(mustEnrol && { mustEnrol }),
    ...(user.validUntil !== undefined && { isGuest: true }),
    ...(user.passwordIsGenerated && { hasGeneratedPassword: true }),
  };
}

/** When the account got what it may see. Unix seconds. */
export const grantMoment = ({ createdAt, roleSince = createdAt, validFrom = createdAt }: RightsHolder): number =>
  Math.max(createdAt, roleSince, validFrom);

/**
 * The rights of one role. `grantedAt`: when the account got it; undefined for users of a proxy, who have no account here: a
 * role that sees nothing older than its grant shows them no recordings at all.
 */
export function rightsOfRole(role: Role, roles: ActiveRoles, now: number, grantedAt?: number): Rights {
  const scope = scopeOfRole(role, roles.cameras);
  const limit = isBuiltIn(role) ? undefined : roles.limits.get(role);
  if (!limit) return { role, scope };
  const opening = limit.hours && openingAt(limit.hours, roles.zone, now);
  const closed =
    opening && !opening.isOpen ? closedUntil('outside-hours', opening.changesAt, now, roles.zone) : undefined;
  return {
    role,
    scope,
    ...deniedBy(limit, grantedAt),
    ...historyBy(limit, grantedAt),
    ...(closed && { closed }),
    ...(opening?.changesAt !== undefined && { changesAt: opening.changesAt }),
  };
}

/**
 * The rights of several roles of one person: admin wins, then viewer. Else the cameras of all of them that are open now, and
 * denied is only what all of those deny; the history is that of the role that sees furthest back now. `grantedAt` as for one.
 */
export function rightsOfRoles(held: readonly Role[], roles: ActiveRoles, now: number, grantedAt?: number): Rights {
  const [first = NO_ROLE, ...others] = held;
  const builtIn = [ADMIN, VIEWER].find((role) => held.includes(role));
  if (builtIn) return rightsOfRole(builtIn, roles, now, grantedAt);
  if (others.length === 0) return rightsOfRole(first, roles, now, grantedAt);
  const each = held.map((role) => rightsOfRole(role, roles, now, grantedAt));
  const open = each.filter(({ closed }) => !closed);
  const times = each.map(({ changesAt }) => changesAt);
  const change = nextChange(times, now);
  const [chosen] = open;
  if (!chosen) {
    const [soonest] = each.toSorted((one, other) => opensAt(one) - opensAt(other));
    return { ...withoutChange(soonest ?? { role: first, scope: scopeOfRole(first, roles.cameras) }), ...change };
  }
  const denied = (chosen.denied ?? []).filter((verb) => open.every((rights) => rights.denied?.includes(verb)));
  const history = laxest(
    open.filter((rights) => !rights.denied?.includes('history')),
    now,
  );
  return {
    role: chosen.role,
    scope: unionOfScopes(open.map(({ scope }) => scope)),
    ...(denied.length > 0 && { denied }),
    ...(history && { history }),
    ...change,
  };
}

/** What both give: of an API token and its owner. */
export function bothRights(one: Rights, other: Rights): Rights {
  const denied = [...new Set([...(one.denied ?? []), ...(other.denied ?? [])])];
  const history = strictest(one.history, other.history);
  const closed = one.closed ?? other.closed;
  const changes = [one.changesAt, other.changesAt].filter((time) => time !== undefined);
  return {
    role: one.role,
    scope: bothScopes(one.scope, other.scope),
    ...(denied.length > 0 && { denied }),
    ...(history && { history }),
    ...(closed && { closed }),
    ...(changes.length > 0 && { changesAt: Math.min(...changes) }),
  };
}

/** Unix seconds: nothing that began before is seen; undefined for no limit. */
export function earliestSeen(history: HistoryLimit | undefined, now: number): number | undefined {
  if (!history) return undefined;
  const { from = Number.NEGATIVE_INFINITY, seconds } = history;
  return Math.max(0, from, seconds === undefined ? Number.NEGATIVE_INFINITY : now - seconds);
}

const isBuiltIn = (role: Role): boolean => role === ADMIN || role === VIEWER;

const withoutChange = ({ changesAt: _, ...rights }: Rights): Rights => rights;

function nextChange(times: readonly (number | undefined)[], now: number): Pick<Rights, 'changesAt'> {
  const ahead = times.filter((time): time is number => time !== undefined && time > now);
  return ahead.length > 0 ? { changesAt: Math.min(...ahead) } : {};
}

function closedByValidity(
  { validFrom, validUntil }: Validity,
  now: number,
  roles: Pick<ActiveRoles, 'zone'>,
): Closed | undefined {
  if (validUntil !== undefined && validUntil <= now) return { reason: 'account-ended' };
  if (validFrom !== undefined && now < validFrom) return closedUntil('account-not-begun', validFrom, now, roles.zone);
  return undefined;
}

/** Postern's own roles are made viewers when they go; those of a provider are worth nothing then, until its next login. */
function closedByProvider(user: RightsHolder, { cameras }: ActiveRoles): Closed | undefined {
  if (user.roleSource === undefined && user.role !== NO_ROLE) return undefined;
  return heldBy(user).some((role) => isBuiltIn(role) || cameras.has(role)) ? undefined : { reason: 'role-missing' };
}

function closedUntil(reason: Closed['reason'], at: number | undefined, now: number, timeZone: string): Closed {
  if (at === undefined) return { reason };
  return { reason, opens: { at, timeZone, inSeconds: Math.max(1, at - now), text: wallText(at, timeZone) } };
}

const WITHOUT_GRANT: readonly Verb[] = ['history', 'export'];

function deniedBy({ deny, historySince }: RoleLimit, grantedAt: number | undefined): Pick<Rights, 'denied'> {
  const seesNone = historySince?.kind === 'grant' && grantedAt === undefined;
  const denied = seesNone ? [...new Set([...deny, ...WITHOUT_GRANT])] : deny;
  return denied.length > 0 ? { denied } : {};
}

function historyBy({ historySince }: RoleLimit, grantedAt: number | undefined): Pick<Rights, 'history'> {
  if (historySince?.kind === 'last') return { history: { seconds: historySince.seconds } };
  return historySince && grantedAt !== undefined ? { history: { from: grantedAt } } : {};
}

function strictest(one: HistoryLimit | undefined, other: HistoryLimit | undefined): HistoryLimit | undefined {
  if (!one || !other) return one ?? other;
  const from = Math.max(one.from ?? Number.NEGATIVE_INFINITY, other.from ?? Number.NEGATIVE_INFINITY);
  const seconds = Math.min(one.seconds ?? Number.POSITIVE_INFINITY, other.seconds ?? Number.POSITIVE_INFINITY);
  return { ...(Number.isFinite(from) && { from }), ...(Number.isFinite(seconds) && { seconds }) };
}

/** The limit that lets the most be seen now; undefined when one of them has none. */
function laxest(open: readonly Rights[], now: number): HistoryLimit | undefined {
  const since = ({ history }: Rights): number => earliestSeen(history, now) ?? Number.NEGATIVE_INFINITY;
  const [furthest] = open.toSorted((one, other) => since(one) - since(other));
  return furthest?.history;
}

const opensAt = ({ closed }: Rights): number => closed?.opens?.at ?? Number.POSITIVE_INFINITY;

/** `grant`: nothing older than the account and its role. Else so many seconds back. */
type HistorySince =
  | { readonly text: string; readonly kind: 'grant' }
  | { readonly text: string; readonly kind: 'last'; readonly seconds: number };

export interface RoleLimit {
  readonly deny: readonly Verb[];
  readonly hours?: Hours | undefined;
  readonly historySince?: HistorySince | undefined;
}

export type RoleLimits = ReadonlyMap<Role, RoleLimit>;

/** The custom roles as they are now, from the file and from the store. */
export interface ActiveRoles {
  readonly cameras: CustomRoles;
  readonly limits: RoleLimits;
  /** `auth.timezone`, or the zone of the service: an IANA name. Found out when it is asked for (see `localZone`). */
  readonly zone: string;
}

/** Limits as they are written, in the file, in the store and in the API. */
export interface WrittenLimits {
  readonly deny?: readonly string[] | undefined;
  readonly hours?: readonly string[] | undefined;
  readonly history_since?: string | undefined;
}

export type LimitKey = keyof WrittenLimits;

/** Errs with the key, and a sentence that says what is wrong with its value. */
export function parseLimits(written: WrittenLimits): Result<RoleLimit, { key: LimitKey; message: string }> {
  const deny: Verb[] = [];
  for (const text of written.deny ?? []) {
    const verb = VERBS.find((known) => known === text);
    if (!verb) return err({ key: 'deny', message: `${JSON.stringify(text)} is not one of ${VERBS.join(', ')}` });
    if (!deny.includes(verb)) deny.push(verb);
  }
  const hours = written.hours && parseHours(written.hours);
  if (hours && !hours.ok) return err({ key: 'hours', message: hours.error });
  const since = written.history_since === undefined ? undefined : parseHistorySince(written.history_since);
  if (since && !since.ok) return err({ key: 'history_since', message: since.error });
  return ok({ deny, ...(hours && { hours: hours.value }), ...(since && { historySince: since.value }) });
}

export const writtenLimits = ({ deny, hours, historySince }: RoleLimit): WrittenLimits => ({
  ...(deny.length > 0 && { deny }),
  ...(hours && { hours: hours.texts }),
  ...(historySince && { history_since: historySince.text }),
});

export const hasLimit = ({ deny, hours, historySince }: RoleLimit): boolean =>
  deny.length > 0 || hours !== undefined || historySince !== undefined;

/** `grant`, `7d`, `12h`, `30m`, `2w`. */
export function parseHistorySince(text: string): Result<HistorySince, string> {
  if (text === 'grant') return ok({ text, kind: 'grant' });
  const seconds = parseDuration(text) ?? 0;
  return seconds > 0
    ? ok({ text, kind: 'last', seconds })
    : err(
        `${JSON.stringify(text)} does not say how far back the role sees: write grant (nothing older than the account), or a duration such as 12h, 7d or 4w`,
      );
}
