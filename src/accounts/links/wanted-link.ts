/** The request for a link, read with bounds: what it is to show, how long, to how many (SPEC 13). */
import { parseCameraEntry } from '../../domain/camera-scope.ts';
import { isRecord } from '../../domain/json.ts';
import { PATH_SHAPES } from '../../domain/policy/policy.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { SharedThing } from '../../domain/shared-thing.ts';
import { isPlainText, LONGEST_PLAIN_NAME, plainName } from '../../domain/text/plain-name.ts';
import { shown } from '../http/body-fields.ts';

/** A link as it was asked for, not yet checked. */
export interface WantedLink {
  readonly what: unknown;
  /** Seconds. */
  readonly expiresIn?: unknown;
  readonly uses?: unknown;
  readonly pin?: unknown;
  readonly name?: unknown;
  readonly notifyOnOpen?: unknown;
}

/** What is wanted; the camera of an event or a review is still to be found. */
export type WantedThing =
  | { readonly kind: 'event' | 'review'; readonly id: string }
  | Exclude<SharedThing, { kind: 'event' | 'review' }>;

export interface LinkTerms {
  readonly expiresIn: number;
  readonly uses: number | null;
  readonly pin: string | undefined;
  readonly name: string | null;
  readonly notifiesOnOpen: boolean;
}

export interface LinkRefusal {
  readonly reason:
    | 'what-invalid'
    | 'expiry-invalid'
    | 'uses-invalid'
    | 'pin-invalid'
    | 'name-invalid'
    | 'notify-invalid'
    | 'too-many'
    | 'maker-gone';
  readonly message: string;
}

/** A link lasts so long when nothing else is asked for; less where `links.max_lifetime` is. */
export const USUAL_SECONDS = 86_400;
const SHORTEST_SECONDS = 60;
const MOST_USES = 1000;
const PIN_LENGTHS = { least: 4, most: 64 } as const;
const LONGEST_CAMERA = 100;
const LONGEST_ID = 100;
const LONGEST_SPAN_SECONDS = 86_400;
/** Year 5138: times are written into paths, in digits alone. */
const LAST_SECOND = 1e11;

const WHAT =
  'what: give one of {"event": id}, {"review": id}, {"recording": {"camera", "from", "to"}}, {"live": {"camera"}}, {"snapshot": {"camera"}}';

const refused = (reason: LinkRefusal['reason'], message: string) => err({ reason, message });
export function parseThing(what: unknown): Result<WantedThing, LinkRefusal> {
  const [given, ...more] = isRecord(what) ? Object.entries(what) : [];
  if (!given || more.length > 0) return refused('what-invalid', WHAT);
  const [kind, value] = given;
  switch (kind) {
    case 'event':
    case 'review':
      return typeof value === 'string' && value.length <= LONGEST_ID && PATH_SHAPES.id.test(value)
        ? ok({ kind, id: value })
        : refused('what-invalid', `what: ${shown(value).slice(0, LONGEST_ID)} is not the id of an ${kind}`);
    case 'live':
    case 'snapshot':
      return withCamera(value, ['camera'], (camera) => ok({ kind, camera }));
    case 'recording':
      return withCamera(value, ['camera', 'from', 'to'], (camera, { from, to }) => span(camera, from, to));
    default:
      return refused('what-invalid', WHAT);
  }
}

function withCamera(
  value: unknown,
  fields: readonly string[],
  make: (camera: string, value: Readonly<Record<string, unknown>>) => Result<WantedThing, LinkRefusal>,
): Result<WantedThing, LinkRefusal> {
  if (!isRecord(value) || Object.keys(value).sort().join() !== fields.toSorted().join())
    return refused('what-invalid', WHAT);
  const { camera } = value;
  const isName = typeof camera === 'string' && camera.length <= LONGEST_CAMERA && !camera.includes('*');
  if (!isName || !parseCameraEntry(camera).ok)
    return refused('what-invalid', 'what: camera is not the name of a camera');
  return make(camera, value);
}

function span(camera: string, from: unknown, to: unknown): Result<WantedThing, LinkRefusal> {
  if (!isTime(from) || !isTime(to) || to <= from) {
    return refused('what-invalid', 'what: from and to are Unix seconds, and "to" comes after "from"');
  }
  return to - from <= LONGEST_SPAN_SECONDS
    ? ok({ kind: 'recording', camera, from, to })
    : refused('what-invalid', 'what: a recording may be 24 hours long at most');
}

/** Milliseconds are exact enough, and more digits would not fit the paths. */
export const isTime = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value < LAST_SECOND && /^\d+(?:\.\d{1,6})?$/.test(String(value));

/** `longest`: `links.max_lifetime`, in seconds. */
export function parseTerms(wanted: WantedLink, longest: number): Result<LinkTerms, LinkRefusal> {
  if (longest === 0) return refused('expiry-invalid', 'links.max_lifetime is 0: no links are made');
  const { expiresIn = Math.min(USUAL_SECONDS, longest), uses = null, pin, name = null, notifyOnOpen = false } = wanted;
  if (!isWhole(expiresIn, SHORTEST_SECONDS, longest)) {
    return refused('expiry-invalid', `expires_in: give whole seconds, from ${SHORTEST_SECONDS} to ${longest}`);
  }
  if (uses !== null && !isWhole(uses, 1, MOST_USES)) {
    return refused('uses-invalid', `uses: give a whole number from 1 to ${MOST_USES}, or none for any number`);
  }
  const given = pinOf(pin);
  if (!given.ok) return given;
  const called = nameOf(name);
  if (!called.ok) return called;
  if (typeof notifyOnOpen !== 'boolean') return refused('notify-invalid', 'notify_on_open: give true or false');
  return ok({ expiresIn, uses, pin: given.value, name: called.value, notifiesOnOpen: notifyOnOpen });
}

const isWhole = (value: unknown, least: number, most: number): value is number =>
  Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;

/** A number would lose the zeros at its start. */
function pinOf(pin: unknown): Result<string | undefined, LinkRefusal> {
  if (pin === undefined || pin === null) return ok(undefined);
  const { least, most } = PIN_LENGTHS;
  const isPin = typeof pin === 'string' && pin.length >= least && pin.length <= most && isPlainText(pin);
  return isPin ? ok(pin) : refused('pin-invalid', `pin: give a text of ${least} to ${most} characters, such as "4711"`);
}

function nameOf(given: unknown): Result<string | null, LinkRefusal> {
  if (given === null) return ok(null);
  const name = plainName(given);
  return name === undefined
    ? refused('name-invalid', `name: give 1 to ${LONGEST_PLAIN_NAME} characters, or none`)
    : ok(name);
}
