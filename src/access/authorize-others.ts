/**
 * Authorization of a caller who is no admin of all cameras, behind the steps of `authorize.ts`:
 *
 *  8. path        not one that a server behind would read as another
 *  9. layout      where a row takes any name for a camera's, the NVR's cameras are known, and this is one of them
 * 10. names       a stream that is an address, or none of the NVR's, a parameter for admins, an id that is more than an id, a
 *                 parameter that the row does not take
 * 11. time        what the caller sees back to a moment only
 * 12. messages    those of a WebSocket are judged one by one, later
 * 13. cameras     of a caller who sees listed ones: named cameras must be visible, other requests are narrowed
 */
import { type Caller, isDenied } from '../domain/caller.ts';
import { actualSender, shownThing } from '../domain/credentials.ts';
import type { Locator, PolicyRow, Signalling } from '../domain/policy.ts';
import type { RefusalReason } from '../domain/refusal.ts';
import type { RequestTarget } from '../domain/request.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { earliestSeen } from '../domain/rights.ts';
import { type AccessVerdict, type Obligations, refused, type SignallingObligations } from './access-verdict.ts';
import { hasOddId, namesAddress, readNames } from './camera-locators.ts';
import { createCameraView, toClearance } from './camera-view.ts';
import { isPicture, queryFault } from './judge-body.ts';
import { queryValues } from './query.ts';
import { ownersOfStream, type RecorderLayout } from './recorder-layout.ts';
import type { Asked, Listed } from './route-table.ts';
import { isPlaylist } from './thing-paths.ts';
import { type WithinTime, withinTime } from './within-time.ts';
import { bodyObligations, withinView, withObligations } from './within-view.ts';

export function authorizeOthers(asked: Asked): AccessVerdict {
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

/** The cameras that are one for the caller. Behind a curtain a camera that is not seen is none: what is drawn must not differ from what is unknown. */
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

export function judgeMessages(asked: Asked): AccessVerdict {
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
export const playlistObligation = ({ caller, target: { path } }: Asked): Pick<Obligations, 'playlistAt'> =>
  shownThing(caller) && isPlaylist(path) ? { playlistAt: path.slice(0, path.lastIndexOf('/')) } : {};

/** The cameras of what the request starts: later requests name it by its id alone. */
export function startedBy({ caller, match, target, layout }: Asked): Pick<Obligations, 'startedFor'> {
  const { starts: kind } = match.row;
  // The address of a session of live pictures stands in the head of the response.
  if (!kind || kind === 'whep') return {};
  const cameras = readNames(match, target).flatMap(({ kind: of, value }) =>
    of === 'stream' ? streamOwners(value, layout) : [value],
  );
  return cameras.length > 0 ? { startedFor: { kind, by: actualSender(caller).name, cameras } } : {};
}

/** The stream is taken for the camera of its name where the layout is not known: only an admin comes here so. */
const streamOwners = (stream: string, layout: RecorderLayout | undefined): readonly string[] =>
  layout ? ownersOfStream(layout, stream) : [stream];

/** Whether a name of the request is none that the NVR has: a server may take it for a source, and open that. */
const isUnknown = (match: Listed, target: RequestTarget, layout: RecorderLayout): boolean =>
  readNames(match, target).some(({ kind, value }) =>
    kind === 'stream' ? !layout.streams.has(value) : !layout.cameras.some((camera) => camera === value),
  );
