/** What the caller may see, from the headers that the gate sets: cameras, and how far back (interface 2.2, 5.5.4, 7; SPEC 13). */
import type { IncomingHttpHeaders } from 'node:http';
import {
  bothScopes,
  type CameraScope,
  type CustomRoles,
  maySee,
  scopeOfNames,
  scopeOfRole,
  unionOfScopes,
  visibleCameras,
} from '../domain/camera-scope.ts';
import type { CameraName, Role } from '../domain/names.ts';
import type { EventSource } from '../store/events/events-table.ts';
import { refused } from './responses.ts';

/**
 * Undefined without the header `remote-role`. An undefined role sees nothing, and so does a list of roles. Where a person
 * has several, `remote-roles` lists them. The header `remote-cameras` leaves of their cameras only the ones that it names:
 * a token may be narrowed to cameras, and a role may be outside its hours.
 */
export function callerScope(headers: IncomingHttpHeaders, roles: CustomRoles): CameraScope | undefined {
  const { 'remote-role': role, 'remote-roles': all, 'remote-cameras': cameras } = headers;
  if (typeof role !== 'string' || role === '') return undefined;
  const held = typeof all === 'string' && cameras !== undefined ? all.split(',') : [role];
  const scope = unionOfScopes(held.map((name) => scopeOfRole(name as Role, roles)));
  return cameras === undefined ? scope : bothScopes(scope, scopeOfNames(namesIn(String(cameras))));
}

/** Unix seconds: nothing that began before may be told. NaN for what is no time: nothing is told then. */
export const callerSince = ({ 'remote-since': since }: IncomingHttpHeaders): number | undefined =>
  since === undefined ? undefined : Number(since);

const namesIn = (cameras: string): string[] => (cameras === '' ? [] : cameras.split(',').map(decodeURIComponent));

/** The cameras that there are. */
interface KnownCameras {
  /** Null when no list is known. */
  readonly known: readonly CameraName[] | null;
  /** Whether admins and viewers see the events of cameras that are not among the known ones. */
  readonly showsUnlisted: boolean;
  /** The cameras that have events. */
  readonly stored: () => Promise<readonly string[]>;
}

/** Interface 7: a camera outside the role that is named is a 403, and no silent narrowing. */
export const maySeeAll = (scope: CameraScope, named: readonly string[]): boolean =>
  named.every((camera) => maySee(scope, camera));

/** The cameras that a response may hold, of the requested ones (null: of all). Null: all there are. Throws the refusal where a `named` one is foreign. */
export async function seenCameras(
  scope: CameraScope,
  asked: readonly string[] | null,
  named: readonly string[],
  { known, showsUnlisted, stored }: KnownCameras,
): Promise<readonly string[] | null> {
  if (!maySeeAll(scope, named)) throw refused('camera-not-in-role');
  if (scope.kind === 'all' && (known === null || showsUnlisted)) return asked;
  const visible = visibleCameras(scope, known ?? ((await stored()) as readonly CameraName[]));
  return asked === null ? visible : asked.filter((camera) => visible.includes(camera as CameraName));
}

/**
 * Every camera that the query names, in whichever of its repetitions: of two `camera=` the last one counts, but the
 * first may be the one that another server reads.
 */
export function namedCameras(query: URLSearchParams, parameters: readonly string[]): string[] {
  const members = parameters.flatMap((name) => query.getAll(name)).flatMap((text) => text.split(','));
  return members.map((member) => member.trim()).filter((member) => member !== '' && member !== 'all');
}

export const UTC = [{ since: 0, seconds: 0 }];

/** The events that began at a moment or later (Unix seconds), and nothing that tells of older ones: for callers who see no further back. */
export function eventsSince(events: EventSource, since: number): EventSource {
  const sinceThen = { kind: 'compared', measure: 'start_time', by: '>=', to: since } as const;
  return {
    find: (question) => events.find({ ...question, conditions: [...question.conditions, sinceThen] }),
    read: async (ids, include) => (await events.read(ids, include)).filter(({ start_time }) => start_time >= since),
    cameras: events.cameras,
    countByLabel: (cameras, more = []) => events.countByLabel(cameras, [...more, sinceThen]),
    distinct: (column, cameras, more = []) => events.distinct(column, cameras, [...more, sinceThen]),
    groups: (question) => events.groups({ ...question, from: Math.max(question.from, since) }),
    countByDay: (question) => events.countByDay({ ...question, conditions: [...question.conditions, sinceThen] }),
    firstStart: (time) => events.firstStart(Math.max(time, since)),
    // What is counted of all events is kept by this: nothing that is counted here may be taken for it, nor the other way round.
    writesByDay: async () => null,
  };
}
