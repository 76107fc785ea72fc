/** Viewings for the ledger: who sees what by an admitted request, from its first byte to its last (SPEC 14). */
import { locate } from '../../access/camera-locators.ts';
import { camerasInBody } from '../../access/judge-body.ts';
import { NO_LAYOUT, type RecorderLayout } from '../../access/recorder-layout.ts';
import type { Listed } from '../../access/route-table.ts';
import { createTaskQueue, type MaybePromise, mapMaybe } from '../../domain/async.ts';
import type { Caller, Credential } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { actualSender, credentialName, credentialProvider, traitsFor } from '../../domain/credentials.ts';
import type { Locator, OwnerKind, Views } from '../../domain/policy.ts';
import type { RequestTarget } from '../../domain/request.ts';
import { canonicalZone, offsetReader } from '../../domain/zone-offsets.ts';
import type { Admitted } from '../../gateway/decision/admit.ts';
import type { OwnerCameras } from '../../gateway/decision/owner-lookup.ts';
import type { Client } from '../../gateway/decision/request-facts.ts';
import type { AskedPictures, ViewingWatch } from '../../gateway/entry/pipeline.ts';
import type { PolicyRow } from '../../routes/policy-row.ts';
import type { FeatureRules } from '../feature.ts';
import { type Span, type Spans, type Subject, storable, type WatchedTime } from './spans.ts';

export function createViewings({
  spans,
  layout,
  camerasOf,
  clock,
}: Pick<FeatureRules, 'layout' | 'camerasOf'> & {
  readonly spans: Pick<Spans, 'begin' | 'end' | 'see'>;
  readonly clock: Clock;
}): ViewingWatch {
  const now = (): number => clock.now() / 1000;
  const camerasOfRequest = createViewedCameras(layout, camerasOf);
  const planOf = (asked: AskedPictures, seen?: SeenOf): Plan => {
    const { route, caller, client } = asked.admission;
    if (route.kind !== 'listed' || !route.row.views) return NOTHING_SHOWN;
    const { views } = route.row;
    const subjects = (cameras: ViewedCameras): readonly Subject[] =>
      cameras.map((camera) => toSubject({ caller, address: client.address }, views, camera, seen));
    const cameras = camerasOfRequest(asked);
    return {
      // Small pictures are of all times: one record for each camera.
      watched: views === 'browse' ? undefined : watchedTime(route.parameters, route.row.cameras),
      subjects: cameras instanceof Promise ? cameras.catch(() => [null]).then(subjects) : subjects(cameras),
    };
  };
  const plannedFor = rememberPlans(planOf);
  const endAll = (streams: readonly Span[], at: number): void => {
    for (const stream of streams) spans.end(stream, at);
  };
  const endOf = (streams: readonly Span[]) => () => endAll(streams, now());
  const endLater = (streams: Promise<readonly Span[]>) => () => {
    const at = now();
    void streams.then((known) => endAll(known, at));
  };
  return {
    // Most requests come through here: each function that is made for one costs as much as the rest.
    begin(asked, isWhole) {
      const { watched, subjects } = plannedFor(asked, layout());
      const at = now();
      const requests = isWhole ? 1 : 0;
      const beginAll = (known: readonly Subject[]): readonly Span[] =>
        known.map((subject) => spans.begin(subject, at, watched, requests));
      return subjects instanceof Promise ? endLater(subjects.then(beginAll)) : endOf(beginAll(subjects));
    },
    asked(asked) {
      const at = now();
      const { watched, subjects } = planOf(asked, 'question');
      void mapMaybe(subjects, (known) => known.forEach((subject) => void spans.see(subject, at, watched)));
    },
  };
}

/** What a request is a viewing of. */
interface Plan {
  readonly watched: WatchedTime | undefined;
  readonly subjects: MaybePromise<readonly Subject[]>;
}

const NOTHING_SHOWN: Plan = { watched: undefined, subjects: [] };

/** The most plans of one caller; a player asks for new segments all the time. */
const MOST_PLANS = 100;

/** Remembers plans by path: the same picture is polled again and again, often with a new number in its query. */
function rememberPlans(planOf: (asked: AskedPictures) => Plan) {
  let plans = new WeakMap<Caller, Map<string, Plan & PlannedFor>>();
  let madeFor: RecorderLayout | undefined;
  return (asked: AskedPictures, layout: RecorderLayout | undefined): Plan => {
    const { caller, client, target, route } = asked.admission;
    if (layout !== madeFor) plans = new WeakMap();
    madeFor = layout;
    if (!caller || route.kind !== 'listed' || asked.body) return planOf(asked);
    const own = plans.get(caller) ?? new Map<string, Plan & PlannedFor>();
    const known = own.get(target.path);
    if (known && isFor(known, route, client, target)) return known;
    const made = planOf(asked);
    if (made.subjects instanceof Promise) return made;
    if (own.size >= MOST_PLANS) own.clear();
    const query = isNamedByPath(route) ? undefined : target.query;
    plans.set(caller, own.set(target.path, { ...made, row: route.row, address: client.address, query }));
    return made;
  };
}

/** The inputs of a plan, beside caller and path. */
interface PlannedFor {
  readonly row: PolicyRow;
  readonly address: string;
  /** Undefined: any. */
  readonly query: string | undefined;
}

const isFor = (plan: PlannedFor, { row }: Listed, { address }: Client, { query }: RequestTarget): boolean =>
  plan.row === row && plan.address === address && (plan.query === undefined || plan.query === query);

const isNamedByPath = ({ row, parameters }: Listed): boolean =>
  parameters['camera'] !== undefined && (row.cameras ?? []).every(({ source }) => source === 'path');

/** The most cameras of one request: others may be about hundreds of ids. */
const MOST_CAMERAS = 64;
const MOST_ITEMS = 500;
/** Questions to the NVR for the ledger alone: what comes beyond is recorded without its camera. */
const MOST_QUESTIONS = 200;
const AT_ONCE = 4;

/** Null: not known. Never empty; a camera stands there as often as it was exported. */
type ViewedCameras = readonly (string | null)[];

function createViewedCameras(
  layout: () => RecorderLayout | undefined,
  camerasOf: OwnerCameras,
): (asked: AskedPictures) => MaybePromise<ViewedCameras> {
  const owned = createOwned(camerasOf);
  return ({ admission, method, body }) => {
    const { named, asked } = namedIn(admission, layout() ?? NO_LAYOUT, body);
    if (asked.length === 0) return named.length > 0 ? named : [null];
    const found = asked.map(({ of, id }) => owned(of, id, admission, method));
    return Promise.all(found).then((owners) => unique([...named, ...owners.flat()]));
  };
}

const unique = (cameras: ViewedCameras): ViewedCameras => {
  const all = [...new Set(cameras)];
  return all.length > 0 ? all.slice(0, MOST_CAMERAS) : [null];
};

/** Cameras that the request names; a stream without a camera, such as the NVR's own of all cameras, by its own name. */
function namedIn(
  { route, target }: Admitted,
  layout: RecorderLayout,
  body: Buffer | undefined,
): {
  readonly named: readonly string[];
  readonly asked: readonly { readonly of: OwnerKind; readonly id: string }[];
} {
  if (route.kind !== 'listed') return { named: [], asked: [] };
  const located = locate(route, target, layout);
  if (!located) return { named: [], asked: [] };
  const { camera, stream } = route.parameters;
  // A body with locators was judged, and written anew as JSON; it may be empty. Offers of live pictures are no JSON.
  const isNaming = body !== undefined && body.length > 0 && located.inBody.length > 0;
  const inBody = isNaming ? camerasInBody(JSON.parse(body.toString()), located.inBody) : [];
  const named = [...new Set([...located.named.flat(), ...inBody])];
  const own = camera ?? stream ?? new URLSearchParams(target.query).get('src');
  const asked = located.owners.flatMap(({ of, ids }) => ids.map((id) => ({ of, id })));
  const isNamed = named.length > 0 || asked.length > 0 || own === null;
  const cameras = [...named.slice(0, MOST_CAMERAS), ...again(inBody)];
  return { named: isNamed ? cameras : [own], asked: asked.slice(0, MOST_CAMERAS) };
}

/** A batch is as many exports as it has items, also of one camera. */
function again(cameras: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return cameras.filter((camera) => seen.size === seen.add(camera).size).slice(0, MOST_ITEMS);
}

/** The cameras of ids, a few questions at a time, so that a page of pictures does not load the NVR twice. */
function createOwned(camerasOf: OwnerCameras) {
  const { enter, waiting } = createTaskQueue(AT_ONCE);
  return async (kind: OwnerKind, id: string, { target }: Admitted, method: string): Promise<ViewedCameras> => {
    if (waiting() >= MOST_QUESTIONS) return [null];
    const leave = await enter();
    try {
      const cameras = (await camerasOf(kind, id, { method, target })) ?? [];
      return cameras.length > 0 ? cameras : [null];
    } finally {
      leave();
    }
  };
}

/** What an admitted request is a viewing of: its viewer, its kind, and the recorded time that it names (SPEC 14). Pure. */
interface ViewingCaller {
  readonly caller: Caller | undefined;
  readonly address: string;
}

/** What Postern saw of it, where it did not see the pictures themselves. */
type SeenOf = 'signalling' | 'question';

export function toSubject(
  { caller, address }: ViewingCaller,
  views: Views,
  camera: string | null,
  seen?: SeenOf,
): Subject {
  const mark = views === 'signalling' ? 'signalling' : seen;
  const named = caller && givenName(actualSender(caller).credential);
  return {
    kind: views === 'signalling' ? 'live' : views,
    user: caller ? actualSender(caller).name : null,
    credential: caller ? viewerText(actualSender(caller).credential) : null,
    address,
    // As it stands in the request: a stream of the NVR may have any name.
    camera: camera === null ? null : storable(camera),
    ...((mark || named) && { detail: { ...named, ...(mark && { seen: mark }) } }),
  };
}

/** The name of what shows the pictures, as a member of its kind: it is known when the credential is gone. */
function givenName(credential: Credential): Readonly<Record<string, string>> | undefined {
  const name = traitsFor(credential).givenName?.(credential);
  return name === undefined ? undefined : { [credential.kind]: name };
}

/** The sessions of a person are one viewer: a tablet that logs in anew goes on watching. */
const viewerText = (credential: Credential): string =>
  credential.kind === 'session' ? (credentialProvider(credential) ?? 'session') : credentialName(credential);

const SECONDS = /^\d{1,12}(?:\.\d{1,9})?$/;
/** A moment in ids of events and names of files: `1700000000.123456-abc`, `porch-1700000000.123456-abc.jpg`. */
const STAMP = /(?:^|[-_/])(?<at>\d{10}(?:\.\d{1,9})?)(?=[-.]|$)/;
const HOUR = 3600;

/** The recorded time that the path of a request names, by the parameters of its row, and the event; undefined for none. */
function watchedTime(
  parameters: Readonly<Record<string, string>>,
  locators: readonly Locator[] = [],
): WatchedTime | undefined {
  const time = timeIn(parameters);
  const named = locators.find(({ kind, source }) => kind === 'event' && source === 'path');
  const event = named && parameters[named.name];
  return time && event !== undefined ? { ...time, event: storable(event) } : time;
}

function timeIn(parameters: Readonly<Record<string, string>>): WatchedTime | undefined {
  const { start = '', end = '', time = '' } = parameters;
  if (SECONDS.test(start) && SECONDS.test(end)) return inOrder(Number(start), Number(end));
  if (SECONDS.test(time)) return { from: Number(time), to: Number(time) };
  const hour = hourStart(parameters);
  if (hour !== undefined) return { from: hour, to: hour + HOUR };
  for (const value of Object.values(parameters)) {
    const at = STAMP.exec(value)?.groups?.['at'];
    if (at !== undefined) return { from: Number(at), to: Number(at) };
  }
  return undefined;
}

const inOrder = (one: number, other: number): WatchedTime => ({ from: Math.min(one, other), to: Math.max(one, other) });

/** `2026-11/22/07`, or `2026-11-22/07`: in UTC, or in the time zone that is named, where it is known. */
function hourStart({ month, day, date, hour, zone = 'utc' }: Readonly<Record<string, string>>): number | undefined {
  const text = date ?? (month === undefined ? undefined : `${month}-${day}`);
  if (text === undefined || hour === undefined) return undefined;
  const at = Date.parse(`${text}T${hour}:00:00Z`) / 1000;
  if (Number.isNaN(at)) return undefined;
  const known = canonicalZone(zone.replaceAll(',', '/'));
  return known === undefined ? at : at - offsetReader(known)(at);
}
