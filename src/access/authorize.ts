/**
 * Authorization (RBAC): the route table's row, the caller's role and its cameras give the verdict (interface 2.2, 5.6, 7). The
 * steps, in the order in which they run; the first that refuses gives the reason:
 *
 *  1. thing       a visitor sees the pictures of the one thing that is shown to it, by the path that was made from it
 *  2. row         `none` is for no caller, `public` for every one
 *  3. caller      credentials are needed from here on; a screen has few rows alone, and an API token that was made
 *                 for one right has the rows of that right alone
 *  4. unlisted    what no row names is for admins who see all cameras
 *  5. role        the row's access level
 *  6. verb        what a role may not do with its own cameras: a refusal, or an empty response
 *  7. name        longer than any camera's; a secret in another spelling than the one that it has
 *
 * An admin passes then (`authorizeAdmin`). For the others:
 *
 *  8. path        not one that a server behind would read as another
 *  9. layout      where a row takes any name for a camera's, the NVR's cameras are known, and this is one of them
 * 10. names       a stream that is an address, or none of the NVR's, a parameter for admins, an id that is more than an id, a
 *                 parameter that the row does not take
 * 11. time        what the caller sees back to a moment only
 * 12. messages    those of a WebSocket are judged one by one, later
 * 13. cameras     of a caller who sees listed ones: named cameras must be visible, other requests are narrowed
 */

import { type Caller, isAdministrator, isDenied } from '../domain/caller.ts';
import { actualSender, shownThing, traitsFor } from '../domain/credentials.ts';
import { ADMIN, VIEWER } from '../domain/names.ts';
import type { Access, Locator, Signalling } from '../domain/policy.ts';
import type { RefusalReason } from '../domain/refusal.ts';
import type { RequestTarget } from '../domain/request.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { earliestSeen } from '../domain/rights.ts';
import type { PolicyRow } from '../routes/policy-row.ts';
import {
  type AccessVerdict,
  type Obligations,
  refused,
  type SignallingObligations,
  type Surroundings,
} from './access-verdict.ts';
import { hasOddId, nameFault, namesAddress, readNames } from './camera-locators.ts';
import { createCameraView, toClearance } from './camera-view.ts';
import { isMisspelt, isPicture, queryFault } from './judge-body.ts';
import { queryValues } from './query.ts';
import { NO_LAYOUT, type RecorderLayout } from './recorder-layout.ts';
import type { Asked, Listed, RouteMatch } from './route-table.ts';
import { isPlaylist, showsThing } from './thing-paths.ts';
import { type WithinTime, withinTime } from './within-time.ts';
import { bodyObligations, bodyShape, nothing, withinView, withObligations } from './within-view.ts';

/** `caller` is undefined without credentials: only public routes are allowed then. */
export function authorize(
  caller: Caller | undefined,
  match: RouteMatch,
  target: RequestTarget,
  surroundings: Surroundings,
): AccessVerdict {
  const notShared = caller && thingFault(caller, match, target); // 1
  if (notShared) return refused(notShared);
  if (match.kind === 'listed' && match.row.access === 'none') return refused('path-not-found'); // 2
  if (match.kind === 'listed' && match.row.access === 'public') return { kind: 'allowed', target };
  if (!caller) return refused('no-credentials'); // 3
  const { usesAllRows, otherRows = 'role-too-low' } = traitsFor(caller.credential);
  if (!usesAllRows && !isForFew(match)) return refused(otherRows); // 3
  if (caller.right !== undefined) return judgeByRight(caller, match, target); // 3
  if (match.kind === 'unlisted') return authorizeUnlisted(caller, target); // 4
  const { row } = match;
  if (!SATISFIED[row.access](caller)) return refused('role-too-low'); // 5
  if (row.verb && isDenied(caller, row.verb)) return row.denied ? nothing(row) : refused('verb-denied'); // 6
  const tooLong = nameFault(match, target); // 7
  if (tooLong) return refused(tooLong);
  if (row.query && isMisspelt(target.query, row.query)) return refused('path-not-found');
  const asked = { caller, match, target, ...surroundings };
  return toClearance(caller) === 'admin' ? authorizeAdmin(asked) : authorizeOthers(asked);
}

function thingFault(caller: Caller, match: RouteMatch, target: RequestTarget): RefusalReason | undefined {
  const thing = shownThing(caller);
  if (!thing) return undefined;
  // The path was made from the thing; this holds whatever may lead here by another way.
  // A camera called `config` or `sessions` would make a path that shows no pictures at all.
  if (match.kind === 'unlisted' || match.row.views === undefined) return 'path-not-found';
  if (!showsThing(match.nvr.things, thing, target.path) || target.query !== '') return 'path-not-found';
  return isDenied(caller, 'export') ? 'verb-denied' : undefined;
}

/**
 * What a credential may ask for that does not use all rows: live pictures and the streams of cameras, the messages of the
 * WebSocket, which are judged one by one, and the rows of Postern's own that say so. A row of another table that names no verb
 * shows no live pictures.
 */
const isForFew = (match: RouteMatch): boolean =>
  match.kind === 'listed' &&
  (match.row.own ? match.row.few === true : match.row.verb === 'live' || match.row.narrow?.how === 'per-message');

/** A right holds as long as the owner of the token is an admin. */
const judgeByRight = ({ role, right }: Caller, match: RouteMatch, target: RequestTarget): AccessVerdict =>
  role === ADMIN && match.kind === 'listed' && match.row.own && match.row.right === right
    ? { kind: 'allowed', target }
    : refused('role-too-low');

function authorizeUnlisted(caller: Caller, target: RequestTarget): AccessVerdict {
  if (caller.role !== ADMIN) return refused('route-unlisted');
  return caller.scope.kind === 'all' ? { kind: 'allowed', target } : refused('not-narrowable');
}

/** Whether the caller's role is enough for the row's access level. */
const SATISFIED: Readonly<Record<Access, (caller: Caller) => boolean>> = {
  public: () => true,
  any: () => true,
  camera: () => true,
  unrestricted: ({ role, scope }) => scope.kind === 'all' && (role === ADMIN || role === VIEWER),
  admin: isAdministrator,
  none: () => false,
};

/** An admin sees all cameras, known or not. */
function authorizeAdmin(asked: Asked): AccessVerdict {
  const { caller, match, layout = NO_LAYOUT } = asked;
  if (match.row.narrow?.how === 'per-message') return judgeMessages({ ...asked, layout });
  return withObligations(asked, createCameraView(caller, asked), {
    ...playlistObligation(asked),
    ...bodyOfAdmin(match.row),
    ...startedBy(asked),
  });
}

/**
 * Fields that the row names have their form for an admin too, whose other fields pass. Records tell the cameras of an
 * export: where they stand in its body, that of an admin is read as well.
 */
function bodyOfAdmin(row: PolicyRow): Pick<Obligations, 'body'> {
  const { views, cameras = [] } = row;
  const { shape } = bodyShape(row);
  if (shape) return { body: { locators: [], adminFields: [], shape, otherFieldsPass: true } };
  const isTold = views !== undefined && cameras.some(({ kind, source }) => kind === 'camera' && source === 'body');
  return isTold ? { body: { locators: [], adminFields: [] } } : {};
}

function authorizeOthers(asked: Asked): AccessVerdict {
  const { caller, match, target, layout } = asked;
  const { row } = match;
  if (match.nvr.isMisread(target.segments)) return refused('route-unlisted'); // 8
  if (row.dynamic && !layout) return refused('cameras-unknown'); // 9
  // In the place of a dynamic segment, a name that is no camera may be a route that the table does not list.
  if (row.dynamic && !namesCamera(match, knownTo(asked))) return refused('route-unlisted');
  if (namesAddress(match, target)) return refused('camera-not-in-role'); // 10
  if (row.known && !layout) return refused('cameras-unknown');
  if (row.known && layout && isUnknown(match, target, layout)) return refused('camera-not-in-role');
  if (isForAdmins(row, target)) return refused('field-admin-only');
  if (hasOddId(match, target)) return refused('parameter-refused');
  const parameter = row.query && queryFault(target.query, row.query);
  if (parameter !== undefined) return { kind: 'refused', reason: 'query-field-refused', parameter };
  const inTime = judgeTime(asked); // 11
  if (!inTime.ok) return refused(inTime.error);
  if (row.narrow?.how === 'per-message') return judgeMessages(asked); // 12
  const within = { ...asked, target: inTime.value.target };
  const more = {
    ...(row.signalling && { signalling: judgeSignalling(row.signalling, caller) }),
    ...inTime.value.obligations,
    ...playlistObligation(asked),
    ...startedBy(asked),
  };
  if (caller.scope.kind === 'all' || !isNarrowed(row))
    return withObligations(within, createCameraView(caller, asked), {
      ...bodyObligations(row, picturesIn(row)),
      ...more,
    });
  if (!layout) return refused('cameras-unknown'); // 13
  return withinView(within, createCameraView(caller, asked), more);
}

/** The pictures that a body names: those of admins alone may be any. */
const picturesIn = ({ cameras = [] }: PolicyRow): readonly Locator[] =>
  cameras.filter(({ kind, source }) => source === 'body' && isPicture(kind));

function judgeSignalling(kind: Exclude<Signalling, false>, caller: Caller): SignallingObligations {
  const mayTalk = !isDenied(caller, 'talk');
  return kind === true ? { mayTalk } : { kind, mayTalk };
}

/** The cameras that are one for the caller. Where some are taken away, a camera that is not seen is none: those must not differ from what is unknown. */
const knownTo = ({ caller, ...surroundings }: Asked): readonly string[] =>
  (caller.drawn ? createCameraView(caller, surroundings) : surroundings.layout)?.cameras ?? [];

function namesCamera({ row, parameters }: Listed, cameras: readonly string[]): boolean {
  const { name = '' } = row.cameras?.find(({ kind, source }) => kind === 'camera' && source === 'path') ?? {};
  return cameras.some((camera) => camera === parameters[name]);
}

const isForAdmins = ({ admin_parameters }: PolicyRow, { query }: RequestTarget): boolean =>
  query !== '' && admin_parameters?.some((name) => queryValues(query, name).length > 0) === true;

/** Lists are narrowed by time only for callers who see listed cameras. A caller with another scope is refused, because older things could be shown. */
function judgeTime(asked: Asked): Result<WithinTime, RefusalReason> {
  const { caller, match, target, now } = asked;
  if (!caller.history || !isFootage(match.row)) return ok({ target, obligations: {} });
  const since = earliestSeen(caller.history, now) ?? Number.POSITIVE_INFINITY;
  return toClearance(caller) === 'restricted' ? withinTime(asked, since) : err('history-not-judged');
}

/** A row of a camera that names no verb may show anything. */
const isFootage = ({ verb, access }: PolicyRow): boolean =>
  verb === 'history' || verb === 'export' || (verb === undefined && access === 'camera');

/** Whether a restricted role's request or response must be narrowed at all. */
const isNarrowed = ({ narrow, cameras, access, answer }: PolicyRow): boolean =>
  access === 'camera' || narrow !== undefined || cameras !== undefined || answer !== undefined;

function judgeMessages(asked: Asked): AccessVerdict {
  const { caller, match, target, layout } = asked;
  if (!match.nvr.messages) return refused('not-narrowable');
  if (!layout) return refused('cameras-unknown');
  const { denied = [] } = caller;
  return {
    kind: 'allowed',
    target,
    obligations: { view: createCameraView(caller, asked), messages: { denied } },
  };
}

/** A visitor has no rights anywhere else than below the thing. */
const playlistObligation = ({ caller, target: { path } }: Asked): Pick<Obligations, 'playlistAt'> =>
  shownThing(caller) && isPlaylist(path) ? { playlistAt: path.slice(0, path.lastIndexOf('/')) } : {};

/** The cameras of what the request starts: later requests name it by its id alone. */
function startedBy({ caller, match, target, layout }: Asked): Pick<Obligations, 'startedFor'> {
  const { starts: kind } = match.row;
  // The address of a session of live pictures stands in the head of the response.
  if (!kind || kind === 'whep') return {};
  // A stream is taken for the camera of its name where the layout is not known: only an admin comes here so.
  const cameras = readNames(match, target).flatMap<string>(({ kind: of, value }) =>
    of === 'stream' && layout ? (layout.streams.get(value) ?? []) : [value],
  );
  return cameras.length > 0 ? { startedFor: { kind, by: actualSender(caller).name, cameras } } : {};
}

/** Whether a name of the request is none that the NVR has: a server may take it for a source, and open that. */
const isUnknown = (match: Listed, target: RequestTarget, layout: RecorderLayout): boolean =>
  readNames(match, target).some(({ kind, value }) =>
    kind === 'stream' ? !layout.streams.has(value) : !layout.cameras.some((camera) => camera === value),
  );
