/** The cameras that a refused request names in so many words, for its message (SPEC 5). */
import type { Caller } from '../domain/caller.ts';
import { maySee } from '../domain/camera-scope.ts';
import { traitsOf } from '../domain/credentials.ts';
import type { Locator } from '../domain/policy.ts';
import type { RefusedCameras } from '../domain/refusal.ts';
import type { RequestTarget } from '../domain/request.ts';
import { queryValues } from './query.ts';
import type { RecorderLayout } from './recorder-layout.ts';
import type { Listed, RouteMatch } from './route-table.ts';

/** A message is for people: the names that it shows are few, and short. */
const MOST_NAMES = 3;
const LONGEST_NAME = 60;
/** Names of a request: a query has room for thousands, each of which is compared with all entries of a role. */
const MOST_LOOKED_AT = 100;

/** Camera names of path and query. Ids and streams name none: who owns them is no matter of the client. */
export function namedCameras(match: RouteMatch, target: RequestTarget): readonly string[] {
  if (match.kind === 'unlisted') return [];
  const names = (match.row.cameras ?? []).flatMap((locator) => namesAt(locator, match, target));
  return [...new Set(names)].filter((name) => name !== '' && name !== 'all');
}

function namesAt({ kind, source, name }: Locator, { parameters }: Listed, { query }: RequestTarget): readonly string[] {
  if (kind !== 'camera' || source === 'body') return [];
  if (source === 'path') return [parameters[name] ?? ''];
  return queryValues(query, name).flatMap((value) => value.split(',').map((part) => part.trim()));
}

/** Undefined when the request names none that is refused, and for the visitor of a link, whose request was written by another: it names cameras that the visitor does not know. */
export function refusedCameras(
  caller: Caller | undefined,
  match: RouteMatch,
  target: RequestTarget,
  layout: RecorderLayout | undefined,
): RefusedCameras | undefined {
  if (!caller || !traitsOf(caller.credential).isToldCauses) return undefined;
  const named = namedCameras(match, target).slice(0, MOST_LOOKED_AT);
  const known: readonly string[] = layout?.cameras ?? named;
  // For a caller behind a curtain an unknown camera is as foreign as a drawn one.
  const isForeign = (name: string): boolean =>
    !maySee(caller.scope, name) || (caller.drawn !== undefined && !known.includes(name));
  const foreign = named.filter(isForeign);
  const unknown = named.filter((name) => !isForeign(name) && !known.includes(name));
  if (foreign.length + unknown.length === 0) return undefined;
  return { foreign: shown(foreign), unknown: shown(unknown) };
}

const shown = (names: readonly string[]): readonly string[] =>
  names.slice(0, MOST_NAMES).map((name) => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name));
