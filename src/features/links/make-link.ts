/** Making a link, for the API and the command line: what it is to show, how long, to how many; and whether its maker may see that now (SPEC 1, 13). */

import { keepGrant, newGrant } from '../../accounts/grants/grants.ts';
import { shown } from '../../accounts/http/json-body.ts';
import { type Call, refusedFor, unfit } from '../../accounts/http/kernel.ts';
import type { Services } from '../../app/services.ts';
import { type GrantMaker, NEW_GRANT } from '../../domain/accounts/grant.ts';
import type { MaybePromise } from '../../domain/async.ts';
import { type Caller, lostRights, type SharedThing } from '../../domain/caller.ts';
import { parseCameraEntry } from '../../domain/camera-scope.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { isRecord } from '../../domain/json.ts';
import { PATH_SHAPES } from '../../domain/policy.ts';
import { isPlainText, LONGEST_PLAIN_NAME, plainName } from '../../domain/text.ts';
import { longestLife } from './keys.ts';
import type { LinkJudge } from './link-judge.ts';
import { LINK_PATH, linkCaller } from './links.ts';
import type { Link } from './tables.ts';

/** A link as it was asked for, in the fields of the API, not yet checked. */
export type WantedLink = Readonly<Record<string, unknown>>;

/** What is wanted; the camera of an event or a review is still to be found. */
type WantedThing =
  | { readonly kind: 'event' | 'review'; readonly id: string }
  | Exclude<SharedThing, { kind: 'event' | 'review' }>;

/** What links are made with. */
export type LinkMaking = Pick<Services, 'clock' | 'store' | 'settings' | 'recheck'> & {
  /** A command reads the key of PINs when one is given. */
  readonly passes: { pinHash(linkId: string, pin: string): MaybePromise<string> };
  readonly judge: LinkJudge;
};

/** A link lasts so long when nothing else is asked for; less where `links.max_lifetime` is. */
const USUAL_SECONDS = 86_400;
const SHORTEST_SECONDS = 60;
const MOST_USES = 1000;
/** The most links of one maker that hold at a time: an automation may make one for each notification of a day. */
const MOST_LINKS = 2000;
const PIN_LENGTHS = { least: 4, most: 64 } as const;
const LONGEST_CAMERA = 100;
const LONGEST_ID = 100;
const LONGEST_SPAN_SECONDS = 86_400;
/** Year 5138: times are written into paths, in digits alone. */
const LAST_SECOND = 1e11;

const WHAT =
  'what: give one of {"event": id}, {"review": id}, {"recording": {"camera", "from", "to"}}, {"live": {"camera"}}, {"snapshot": {"camera"}}';

/** The path below the base path. */
export const linkPath = (secret: string): string => `${LINK_PATH}/${secret}`;

/** A link that a caller asks for, and its path below the base path, which holds the secret and is shown once. Refuses by a `Refused`. */
export async function requestLink(
  { caller, body: wanted, params }: Pick<Call<WantedLink>, 'caller' | 'body' | 'params'>,
  maker: GrantMaker,
  services: LinkMaking,
): Promise<{ readonly link: Link; readonly path: string }> {
  const { judge, recheck, passes, clock } = services;
  const asked = parseThing(wanted['what']);
  const { expiresIn, pin, ...terms } = parseTerms(wanted, longestLife(services.settings));
  const isCommand = caller.credential.kind === 'command-line';
  const thing = isCommand ? thingAt(asked, params['camera'] ?? '') : await findThing(asked, caller, judge);
  const { id, secret, secretHash } = newGrant();
  const createdAt = unixSeconds(clock);
  const pinHash = pin === undefined ? null : await passes.pinHash(id, pin);
  const made = { id, secretHash, createdAt, expiresAt: createdAt + expiresIn };
  const link: Link = { ...NEW_GRANT, ...made, ...maker, ...terms, thing, pinHash };
  // The same decision as for a request by the link, with the rights that the caller has now.
  const denied = isCommand ? undefined : await judge.denial(linkCaller(link, caller));
  // The NVR was asked for both, and the link would outlive a session that ended meanwhile.
  const lost = denied ?? (isCommand ? undefined : lostRights(await recheck(caller), caller));
  if (lost) throw refusedFor(lost, {}, { recorded: lost });
  await keepGrant('link', link, MOST_LINKS, services);
  return { link, path: linkPath(secret) };
}

/** No NVR is asked for a command: the camera is told beside the thing, and what the maker may see is judged when the link is opened. */
function thingAt(asked: WantedThing, camera: string): SharedThing {
  const thing = 'id' in asked ? { ...asked, camera } : asked;
  if (thing.camera === '') throw unfit('what-invalid', 'Name the camera of it with --camera');
  return thing;
}

/** One who does not see all cameras is not told whether an event of another camera exists. */
async function findThing(wanted: WantedThing, { scope }: Caller, judge: LinkJudge): Promise<SharedThing> {
  const { kind } = wanted;
  if (judge.filesOf({ camera: '', ...wanted }).length === 0)
    throw unfit('what-invalid', `what: no link can show ${kind === 'event' ? 'an' : 'a'} ${kind} of this NVR`);
  if (!('id' in wanted)) return wanted;
  const record = await judge.recordOf(wanted.kind, wanted.id);
  if (!record.ok) throw refusedFor(record.error, {}, { recorded: record.error });
  const { camera, start_time: from, end_time: to } = Object(record.value) as Readonly<Record<string, unknown>>;
  // The playlist of a review is that of its span. One that is not over has none.
  const span = wanted.kind === 'review' && isTime(from) && isTime(to) ? { from, to } : {};
  if (typeof camera === 'string') return { ...wanted, camera, ...span };
  if (scope.kind === 'all') throw unfit('what-invalid', `what: there is no such ${wanted.kind}`);
  throw refusedFor('camera-not-in-role', {}, { recorded: 'camera-not-in-role' });
}

/** Refuses by a `Refused`. */
export function parseThing(what: unknown): WantedThing {
  const [given, ...more] = isRecord(what) ? Object.entries(what) : [];
  if (!given || more.length > 0) throw unfit('what-invalid', WHAT);
  const [kind, value] = given;
  switch (kind) {
    case 'event':
    case 'review':
      if (typeof value === 'string' && value.length <= LONGEST_ID && PATH_SHAPES.id.test(value))
        return { kind, id: value };
      throw unfit('what-invalid', `what: ${shown(value).slice(0, LONGEST_ID)} is not the id of an ${kind}`);
    case 'live':
    case 'snapshot':
      return { kind, camera: cameraIn(value, ['camera']) };
    case 'recording':
      return { kind, camera: cameraIn(value, ['camera', 'from', 'to']), ...spanIn(value) };
    default:
      throw unfit('what-invalid', WHAT);
  }
}

function cameraIn(value: unknown, fields: readonly string[]): string {
  if (!isRecord(value) || Object.keys(value).sort().join() !== fields.toSorted().join())
    throw unfit('what-invalid', WHAT);
  const { camera } = value;
  const isName = typeof camera === 'string' && camera.length <= LONGEST_CAMERA && !camera.includes('*');
  if (!isName || !parseCameraEntry(camera).ok) throw unfit('what-invalid', 'what: camera is not the name of a camera');
  return camera;
}

function spanIn(value: unknown): { readonly from: number; readonly to: number } {
  const { from, to } = Object(value) as Readonly<Record<string, unknown>>;
  if (!isTime(from) || !isTime(to) || to <= from)
    throw unfit('what-invalid', 'what: from and to are Unix seconds, and "to" comes after "from"');
  if (to - from > LONGEST_SPAN_SECONDS) throw unfit('what-invalid', 'what: a recording may be 24 hours long at most');
  return { from, to };
}

/** Milliseconds are exact enough, and more digits would not fit the paths. */
const isTime = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value < LAST_SECOND && /^\d+(?:\.\d{1,6})?$/.test(String(value));

/** `longest`: `links.max_lifetime`, in seconds. Refuses by a `Refused`. */
export function parseTerms(wanted: WantedLink, longest: number) {
  if (longest === 0) throw unfit('expiry-invalid', 'links.max_lifetime is 0: no links are made');
  const { expires_in: expiresIn = Math.min(USUAL_SECONDS, longest), uses = null, pin = null } = wanted;
  const { name: given = null, notify_on_open: notifiesOnOpen = false } = wanted;
  if (!isWhole(expiresIn, SHORTEST_SECONDS, longest))
    throw unfit('expiry-invalid', `expires_in: give whole seconds, from ${SHORTEST_SECONDS} to ${longest}`);
  if (uses !== null && !isWhole(uses, 1, MOST_USES))
    throw unfit(
      ['uses-invalid', { most: MOST_USES }],
      `uses: give a whole number from 1 to ${MOST_USES}, or none for any number`,
    );
  const { least, most } = PIN_LENGTHS;
  // A number would lose the zeros at its start.
  if (pin !== null && !(typeof pin === 'string' && pin.length >= least && pin.length <= most && isPlainText(pin)))
    throw unfit(['pin-invalid', PIN_LENGTHS], `pin: give a text of ${least} to ${most} characters, such as "4711"`);
  const name = given === null ? null : plainName(given);
  if (name === undefined) throw unfit('name-invalid', `name: give 1 to ${LONGEST_PLAIN_NAME} characters, or none`);
  if (typeof notifiesOnOpen !== 'boolean')
    throw unfit('fields-invalid', 'notify_on_open: give true or false', 400, 'notify-invalid');
  return { expiresIn, uses, pin: pin ?? undefined, name, notifiesOnOpen };
}

const isWhole = (value: unknown, least: number, most: number): value is number =>
  Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
