/** Where a request names cameras: the route table's locators, read from path, query and body, and the refused ones for a message (SPEC 5). */

import type { Caller } from '../domain/caller.ts';
import { LONGEST_CAMERA_NAME, maySee } from '../domain/camera-scope.ts';
import { isVisitor } from '../domain/credentials.ts';
import { isOwnerKind, type Locator, type NameKind, PATH_SHAPES } from '../domain/policy.ts';
import type { RefusalReason, RefusedCameras } from '../domain/refusal.ts';
import type { RequestTarget } from '../domain/request.ts';
import { splitCommas } from '../domain/text.ts';
import type { OwnerQuestion } from './access-verdict.ts';
import type { NamedCameras, NameRule, NvrAdapter } from './nvr-adapter.ts';
import { queryValues } from './query.ts';
import type { RecorderLayout } from './recorder-layout.ts';
import type { Listed, RouteMatch } from './route-table.ts';

export interface Located {
  readonly named: readonly NamedCameras[];
  readonly owners: readonly OwnerQuestion[];
  /** Locators that must be read from the body. */
  readonly inBody: readonly Locator[];
}

const CAMERA: NameRule = { camerasOf: (camera) => [[camera]] };
const STREAM: NameRule = { camerasOf: (stream, { streams }) => [streams.get(stream) ?? []] };
/** A kind that the adapter does not have: its cameras are not known. */
const UNKNOWN_CAMERAS: readonly NamedCameras[] = [[]];
const UNKNOWN: NameRule = { camerasOf: () => UNKNOWN_CAMERAS };

const ruleForName = (kind: NameKind, { names }: NvrAdapter): NameRule =>
  kind === 'camera' ? CAMERA : kind === 'stream' ? STREAM : (names[kind] ?? UNKNOWN);

/** The cameras of each thing that a value names. `parameters` are those of the path. */
export const namedBy = (
  kind: NameKind,
  value: string,
  layout: RecorderLayout,
  { nvr, parameters }: { readonly nvr: NvrAdapter; readonly parameters: Readonly<Record<string, string>> },
): readonly NamedCameras[] => {
  const things = ruleForName(kind, nvr).camerasOf(value, layout, parameters);
  return things.length > 0 ? things : UNKNOWN_CAMERAS;
};

/**
 * Everything that the row's locators find; `all` and an absent parameter name nothing. Undefined where a parameter is repeated:
 * servers differ in which one they read.
 */
export function locate(match: Listed, target: RequestTarget, layout: RecorderLayout): Located | undefined {
  const named: NamedCameras[] = [];
  const owners: OwnerQuestion[] = [];
  const inBody: Locator[] = [];
  for (const locator of match.row.cameras ?? []) {
    const { kind, source, name } = locator;
    const inPath = source === 'path' ? [match.parameters[name] ?? ''] : undefined;
    if (source === 'body') {
      inBody.push(locator);
    } else if (isOwnerKind(kind)) {
      owners.push({ of: kind, ids: inPath ?? idsIn(target, name) });
    } else {
      const values = inPath ?? namesIn(target, kind, name);
      if (values === undefined) return undefined;
      named.push(...values.flatMap((value) => namedBy(kind, value, layout, match)));
    }
  }
  const beside = named.flat();
  const known =
    beside.length === 0 ? owners : owners.map((owner) => (owner.of === 'whep' ? { ...owner, beside } : owner));
  return { named, owners: known, inBody };
}

/** What stands at the place of a locator in path or query, as it is written there. */
const writtenAt = ({ source, name }: Locator, { parameters }: Listed, { query }: RequestTarget): readonly string[] => {
  if (source === 'path') return [parameters[name] ?? ''];
  return source === 'query' ? queryValues(query, name) : [];
};

/** Why a request is refused that names a camera with more letters than any has: nothing is searched for such a name. */
export function nameFault(match: Listed, target: RequestTarget): RefusalReason | undefined {
  if (target.path.length + target.query.length <= LONGEST_CAMERA_NAME) return undefined;
  for (const locator of match.row.cameras ?? []) {
    if (locator.kind !== 'camera' && locator.kind !== 'frames') continue;
    const written = writtenAt(locator, match, target);
    if (locator.source === 'path' && written.some(isTooLong)) return 'path-not-found';
    if (locator.source === 'query' && written.flatMap(splitCommas).some(isTooLong)) return 'parameter-refused';
  }
  return undefined;
}

const isTooLong = (name: string): boolean => name.length > LONGEST_CAMERA_NAME;

/**
 * Whether a stream's name is an address, or more than a name: the stream server opens any address that it is given, and
 * the NVR writes the name in a path into a query for it, where `&` begins another parameter and `%3A` is a colon.
 */
export const namesAddress = (match: Listed, target: RequestTarget): boolean =>
  match.row.cameras?.some(
    (locator) =>
      locator.kind === 'stream' &&
      writtenAt(locator, match, target).some((stream) => (locator.source === 'path' ? /[:&=#%]/ : /:/).test(stream)),
  ) === true;

/** The cameras and streams that path and query name, as they are written there. */
export const readNames = (
  match: Listed,
  target: RequestTarget,
): readonly { readonly kind: 'camera' | 'stream'; readonly value: string }[] =>
  (match.row.cameras ?? []).flatMap((locator) => {
    const { kind } = locator;
    return kind === 'camera' || kind === 'stream'
      ? writtenAt(locator, match, target).map((value) => ({ kind, value }))
      : [];
  });

/**
 * Whether an id in the query is more than an id: a pattern, a path, a list in another spelling. The NVR writes some ids into
 * patterns. An id in the path has its shape by the row.
 */
export const hasOddId = (match: Listed, target: RequestTarget): boolean =>
  target.query !== '' &&
  (match.row.cameras ?? [])
    .filter(({ kind, source }) => source === 'query' && isOwnerKind(kind))
    .flatMap((locator) => writtenAt(locator, match, target))
    .flatMap((value) => value.split(','))
    .some((id) => id !== '' && !isId(id));

const LONGEST_ID = 128;
export const isId = (text: string): boolean => text.length <= LONGEST_ID && PATH_SHAPES.id.test(text);

/** A repeated `ids` is judged as all of its values: the one that the NVR reads is among them. */
const idsIn = (target: RequestTarget, name: string): string[] => queryValues(target.query, name).flatMap(splitCommas);

/** A stream parameter may be repeated; cameras are named in one list. */
function namesIn(target: RequestTarget, kind: NameKind, name: string): readonly string[] | undefined {
  const values = queryValues(target.query, name);
  if (kind !== 'camera') return values;
  if (values.length > 1) return undefined;
  const [value] = values;
  return value === undefined || value === 'all' ? [] : splitCommas(value);
}

/** A message is for people: the names that it shows are few, and short. */
const MOST_NAMES = 3;
const LONGEST_NAME = 60;
/** Names of a request: a query has room for thousands, each of which is compared with all entries of a role. */
const MOST_LOOKED_AT = 100;

/** Camera names of path and query. Ids and streams name none: who owns them is no matter of the client. */
export function namedCameras(match: RouteMatch, target: RequestTarget): readonly string[] {
  if (match.kind === 'unlisted') return [];
  const names = (match.row.cameras ?? [])
    .filter(({ kind }) => kind === 'camera')
    .flatMap((locator) => {
      const written = writtenAt(locator, match, target);
      return locator.source === 'query' ? written.flatMap(splitCommas) : written;
    });
  return [...new Set(names)].filter((name) => name !== '' && name !== 'all');
}

/** Undefined when the request names none that is refused, and for the visitor of a link, whose request was written by another: it names cameras that the visitor does not know. */
export function refusedCameras(
  caller: Caller | undefined,
  match: RouteMatch,
  target: RequestTarget,
  layout: RecorderLayout | undefined,
): RefusedCameras | undefined {
  if (!caller || isVisitor(caller)) return undefined;
  const named = namedCameras(match, target).slice(0, MOST_LOOKED_AT);
  const known: readonly string[] = layout?.cameras ?? named;
  // Where cameras are taken away from the caller, an unknown one is as foreign as those.
  const isForeign = (name: string): boolean =>
    !maySee(caller.scope, name) || (caller.drawn !== undefined && !known.includes(name));
  const foreign = named.filter(isForeign);
  const unknown = named.filter((name) => !isForeign(name) && !known.includes(name));
  if (foreign.length + unknown.length === 0) return undefined;
  return { foreign: shown(foreign), unknown: shown(unknown) };
}

const shown = (names: readonly string[]): readonly string[] =>
  names.slice(0, MOST_NAMES).map((name) => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name));
