/**
 * Pictures that the NVR finds by the beginning of a file's name, which is a camera's: asked for `front` it may take one of
 * `front-door`. A caller gets them only if every camera whose name goes on so is visible (SPEC 5). Pure.
 */
import { goesOn } from '../domain/names.ts';
import type { BodyPlace, PrefixPlace, RefusedHeader } from '../domain/policy.ts';
import { type PathParameters, plainTime } from './time-locators.ts';

/** What one caller sees of the NVR's cameras. */
interface PrefixView {
  readonly layout: { readonly cameras: readonly string[] };
  sees(camera: string): boolean;
}

/** Whether a camera that the caller may not see has a name that goes on where this one ends. */
export const isAmbiguous = (camera: string, { layout, sees }: PrefixView): boolean =>
  layout.cameras.some((other) => goesOn(camera, other) && !sees(other));

/**
 * The NVR takes such files for what began in the current hour of its clock, whatever its time zone; older pictures come from
 * a film of the camera alone. Five minutes are for clocks that differ.
 */
const RECENT_SECONDS = 65 * 60;

/** What does not tell when it began may be recent. */
export const isRecent = (start: unknown, since: number): boolean => typeof start !== 'number' || !(start < since);

/** What a row's `by_prefix` says of one request: refused as it stands, or what is to be looked at later. */
export interface PrefixFindings {
  readonly isRefused: boolean;
  /** Things that ids name are refused if they began since this Unix second. */
  readonly ownersSince?: number;
  /** A header of the response by which the NVR tells that it took such a file: lower-case. */
  readonly header?: RefusedHeader;
  readonly body?: PrefixBodyRule;
}

export interface PrefixBodyRule {
  /** `source` and `preview`: refused if the field has that value. */
  readonly values: readonly { readonly field: string; readonly value: string }[];
  /** Fields that tell a time, beside the camera that their element names. */
  readonly times: readonly BodyPlace[];
  readonly since: number;
  /** Whether a camera that the path names is ambiguous. */
  readonly isNamed: boolean;
}

/** `places` are the row's `by_prefix`; `named` the cameras in path and query. */
export function findPrefixes(
  places: readonly PrefixPlace[],
  named: readonly string[],
  sight: PrefixView,
  { parameters, now }: { readonly parameters: PathParameters; readonly now: number },
): PrefixFindings {
  const since = now - RECENT_SECONDS;
  const isNamed = named.some((camera) => isAmbiguous(camera, sight));
  const inPath = places.filter((place) => place.when === 'recent-path');
  const times = places.filter((place) => place.when === 'recent-body').map(({ place }) => place);
  const values = places.filter((place) => place.when === 'value');
  const header = places.find((place) => place.when === 'header');
  const isAlways = places.some((place) => place.when === 'always');
  const isOfId = places.some((place) => place.when === 'recent-id');
  return {
    isRefused: isNamed && (isAlways || inPath.some(({ name }) => isRecent(plainTime(parameters[name] ?? ''), since))),
    ...((isAlways || isOfId) && { ownersSince: isAlways ? Number.NEGATIVE_INFINITY : since }),
    ...(isNamed && header && { header }),
    ...(values.length + times.length > 0 && { body: { values, times, since, isNamed } }),
  };
}
