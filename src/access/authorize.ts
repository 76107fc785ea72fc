/** Authorization (RBAC): the route table's row, the caller's role and its cameras give the verdict (interface 2.2, 5.6, 7). */
import { type Caller, isDenied } from '../domain/caller.ts';
import { ADMIN, VIEWER } from '../domain/names.ts';
import type { Access, PolicyRow } from '../domain/policy.ts';
import type { RefusalReason } from '../domain/refusal.ts';
import type { RequestTarget } from '../domain/request.ts';
import { err, type Result, unreachable } from '../domain/result.ts';
import { sinceOf } from '../domain/rights/rights.ts';
import { type AccessVerdict, type Obligations, refused } from './access-verdict.ts';
import { hasOddId, nameFault, namesAddress } from './camera-locators.ts';
import { clearanceOf, viewOf } from './camera-view.ts';
import { isBehindLink } from './link-targets.ts';
import { queryValues } from './query.ts';
import { isPlaylist } from './recorded/link-playlist.ts';
import { isVodTrick } from './recorded/vod-path.ts';
import { layoutOfNames, type RecorderLayout } from './recorder-layout.ts';
import type { Listed, RouteMatch } from './route-table.ts';
import { type WithinTime, withinTime } from './within-time.ts';
import { bodyObligations, nothing, shapeOf, withinView, withObligations } from './within-view.ts';

/** What authorization knows besides the request. */
export interface Surroundings {
  /** The NVR's cameras. Undefined until the NVR was first read: a guess could show too much. */
  readonly layout: RecorderLayout | undefined;
  /** Unix seconds: roles may see so far back only. */
  readonly now: number;
}

/** `caller` is undefined without credentials: only public routes are allowed then. */
export function authorize(
  caller: Caller | undefined,
  match: RouteMatch,
  target: RequestTarget,
  { layout, now }: Surroundings,
): AccessVerdict {
  if (caller?.credential.kind === 'link') {
    // The path was made from the link; this holds whatever may lead here by another way.
    if (!isBehindLink(caller.credential.thing, target.path) || target.query !== '') return refused('path-not-found');
    // A camera called `config` or `sessions` would make a path that shows no pictures at all.
    if (!showsPictures(match)) return refused('path-not-found');
    if (isDenied(caller, 'export')) return refused('verb-denied');
  }
  if (match.kind === 'listed' && match.row.access === 'none') return refused('path-not-found');
  if (match.kind === 'listed' && match.row.access === 'public') return { kind: 'allowed', target };
  if (!caller) return refused('no-credentials');
  if (match.kind === 'unlisted') return unlisted(caller, target);
  const { row } = match;
  if (!satisfies(caller, row.access)) return refused('role-too-low');
  if (row.verb && isDenied(caller, row.verb)) return row.denied ? nothing(row) : refused('verb-denied');
  const tooLong = nameFault(match, target);
  if (tooLong) return refused(tooLong);
  if (clearanceOf(caller) === 'admin' && row.narrow === 'per-message')
    return perMessage(target, caller, { layout: layout ?? NO_LAYOUT, now });
  if (clearanceOf(caller) === 'admin')
    return withObligations(target, row, viewOf(caller, now, layout), {
      ...playlistOf(caller, target),
      ...bodyOfAdmin(row),
      ...startedBy(match),
    });
  if (isVodTrick(target.segments)) return refused('route-unlisted');
  if (row.dynamic && !layout) return refused('cameras-unknown');
  // In the place of a dynamic segment, a name that is no camera may be a route that the table does not list.
  if (row.dynamic && !namesCamera(match, layout)) return refused('route-unlisted');
  if (namesAddress(match, target)) return refused('camera-not-in-role');
  if (isForAdmins(row, target)) return refused('field-admin-only');
  if (hasOddId(match, target)) return refused('parameter-refused');
  const within = caller.history && isFootage(row) ? inTime(caller, match, target, now) : undefined;
  if (within && !within.ok) return refused(within.error);
  const { target: judged, obligations: times = {} } = within?.value ?? { target };
  const signalling = row.signalling ? { signalling: { mayTalk: !isDenied(caller, 'talk') } } : {};
  if (row.narrow === 'per-message') return perMessage(target, caller, { layout, now });
  const more = { ...signalling, ...times, ...playlistOf(caller, target), ...startedBy(match) };
  if (caller.scope.kind === 'all' || !isNarrowed(row))
    return withObligations(judged, row, viewOf(caller, now, layout), { ...bodyObligations(row, []), ...more });
  if (!layout) return refused('cameras-unknown');
  return withinView(match, judged, viewOf(caller, now, layout), { now, more });
}

const showsPictures = (match: RouteMatch): boolean => match.kind === 'listed' && match.row.views !== undefined;

/** The visitor of a link has no rights anywhere else than below it. */
const playlistOf = ({ credential }: Caller, { path }: RequestTarget): Pick<Obligations, 'playlistAt'> =>
  credential.kind === 'link' && isPlaylist(path) ? { playlistAt: path.slice(0, path.lastIndexOf('/')) } : {};

/**
 * Fields that the row names have their form for an admin too, whose other fields pass. The ledger tells the cameras of an
 * export: where they stand in its body, that of an admin is read as well.
 */
function bodyOfAdmin(row: PolicyRow): Pick<Obligations, 'body'> {
  const { views, cameras = [] } = row;
  const { shape } = shapeOf(row);
  const isTold = views !== undefined && cameras.some((locator) => locator.startsWith('body:'));
  if (shape) return { body: { locators: [], adminFields: [], shape, otherFieldsPass: true } };
  return isTold ? { body: { locators: [], adminFields: [] } } : {};
}

/** Whoever starts a job: others ask for it by its id. */
const startedBy = ({ row, parameters }: Listed): Pick<Obligations, 'startedFor'> =>
  row.starts && parameters['camera'] !== undefined ? { startedFor: parameters['camera'] } : {};

/** An admin sees all cameras, known or not. */
const NO_LAYOUT = layoutOfNames([]);

function unlisted(caller: Caller, target: RequestTarget): AccessVerdict {
  if (caller.role !== ADMIN) return refused('route-unlisted');
  return caller.scope.kind === 'all' ? { kind: 'allowed', target } : refused('not-narrowable');
}

/** Only of a caller who sees listed cameras is every list looked at: any other could be shown older things. */
function inTime(caller: Caller, match: Listed, target: RequestTarget, now: number): Result<WithinTime, RefusalReason> {
  const since = sinceOf(caller.history, now) ?? Number.POSITIVE_INFINITY;
  return clearanceOf(caller) === 'restricted' ? withinTime(match, target, { since, now }) : err('history-not-judged');
}

/** A row of a camera that names no verb may show anything. */
const isFootage = ({ verb, access }: PolicyRow): boolean =>
  verb === 'history' || verb === 'export' || (verb === undefined && access === 'camera');

function satisfies(caller: Caller, access: Access): boolean {
  switch (access) {
    case 'public':
    case 'any':
    case 'camera':
      return true;
    case 'unrestricted':
      return caller.scope.kind === 'all' && (caller.role === ADMIN || caller.role === VIEWER);
    case 'admin':
      return caller.role === ADMIN && caller.scope.kind === 'all';
    case 'none':
      return false;
    default:
      return unreachable(access);
  }
}

function namesCamera({ row, parameters }: Listed, layout: RecorderLayout | undefined): boolean {
  const locator = row.cameras?.find((place) => place.startsWith(IN_PATH)) ?? '';
  const named = parameters[locator.slice(IN_PATH.length)];
  return layout?.cameras.some((camera) => camera === named) ?? false;
}

const IN_PATH = 'path:';

const isForAdmins = ({ admin_parameters }: PolicyRow, { query }: RequestTarget): boolean =>
  query !== '' && admin_parameters?.some((name) => queryValues(query, name).length > 0) === true;

/** Whether a restricted role's request or response must be narrowed at all. */
const isNarrowed = ({ narrow, cameras, access, answer }: PolicyRow): boolean =>
  access === 'camera' || narrow !== undefined || cameras !== undefined || answer !== undefined;

function perMessage(target: RequestTarget, caller: Caller, { layout, now }: Surroundings): AccessVerdict {
  if (!layout) return refused('cameras-unknown');
  const { denied = [] } = caller;
  return { kind: 'allowed', target, obligations: { view: viewOf(caller, now, layout), messages: { denied } } };
}
