/**
 * Authorization (RBAC): the route table's row, the caller's role and its cameras give the verdict (interface 2.2, 5.6, 7). The
 * steps, in the order in which they run; the first that refuses gives the reason:
 *
 *  1. thing       a visitor sees the pictures of the one thing that is shown to it, by the path that was made from it
 *  2. row         `none` is for no caller, `public` for every one
 *  3. caller      credentials are needed from here on; a screen has few rows alone, and an API token that was made
 *                 for the curtain has the rows of the curtain alone
 *  4. unlisted    what no row names is for admins who see all cameras
 *  5. role        the row's access level
 *  6. verb        what a role may not do with its own cameras: a refusal, or an empty response
 *  7. name        longer than any camera's; a secret in another spelling than the one that it has
 *
 * An admin passes then (`authorizeAdmin`). For the others `authorize-others.ts` goes on.
 */
import { type Caller, isAdministrator, isDenied, isForCurtain } from '../domain/caller.ts';
import { shownThing, traitsFor } from '../domain/credentials.ts';
import { ADMIN, VIEWER } from '../domain/names.ts';
import type { Access, PolicyRow } from '../domain/policy.ts';
import type { RefusalReason } from '../domain/refusal.ts';
import type { RequestTarget } from '../domain/request.ts';
import { type AccessVerdict, type Obligations, refused, type Surroundings } from './access-verdict.ts';
import { authorizeOthers, judgeMessages, playlistObligation, startedBy } from './authorize-others.ts';
import { nameFault } from './camera-locators.ts';
import { createCameraView, toClearance } from './camera-view.ts';
import { isMisspelt } from './judge-body.ts';
import { NO_LAYOUT } from './recorder-layout.ts';
import type { Asked, RouteMatch } from './route-table.ts';
import { showsThing } from './thing-paths.ts';
import { bodyShape, nothing, withObligations } from './within-view.ts';

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
  if (isForCurtain(caller)) return judgeForCurtain(match, target); // 3
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

const judgeForCurtain = (match: RouteMatch, target: RequestTarget): AccessVerdict =>
  match.kind === 'listed' && match.row.own && match.row.curtain ? { kind: 'allowed', target } : refused('role-too-low');

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
