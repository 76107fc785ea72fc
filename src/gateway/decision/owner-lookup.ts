/** Owner lookup: which camera an event, a review or an export belongs to, asked once, for an id's camera never changes (SPEC 5, `how: lookup`); and whose the jobs and sessions are, as their start said (SPEC 20). */
import { LRUCache } from 'lru-cache';
import type { OwnerQuestion, StartedThing } from '../../access/access-verdict.ts';
import { isAmbiguous, isRecent } from '../../access/by-prefix.ts';
import { isId } from '../../access/camera-locators.ts';
import type { CameraView } from '../../access/camera-view.ts';
import type { NvrAdapter, OwnedThing } from '../../access/nvr-adapter.ts';
import type { Sharer } from '../../domain/async.ts';
import { upTo } from '../../domain/bounded.ts';
import { parsedJson } from '../../domain/json.ts';
import { isStartedKind, type OwnerKind, type StartedKind } from '../../domain/policy.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import type { RequestTarget } from '../../domain/request.ts';
import { askFailure } from './upstream-failure.ts';

/** The JSON of a 200, undefined of a 404; rejects with the cause of any other outcome. */
export type AskOwner = (path: string) => Promise<unknown>;

/** The request that owners are asked for; its response comes from where they are asked. */
export interface AskedFor {
  readonly method: string;
  readonly target: RequestTarget;
  /** Whose share of the questions it takes; absent: that of the service itself. */
  readonly sharer?: Sharer;
}

export interface OwnerLookup {
  /** Undefined when the view holds every owner. */
  denial(questions: readonly OwnerQuestion[], view: CameraView, askedFor: AskedFor): Promise<RefusalReason | undefined>;
}

/** The cameras of an id, asked where the request is sent; undefined when they cannot be found. */
export type OwnerCameras = (kind: OwnerKind, id: string, askedFor: AskedFor) => Promise<readonly string[] | undefined>;

const REMEMBERED_IDS = 20_000;
/** One request must not cause thousands of questions to the NVR. */
const MOST_IDS = 500;
const AT_ONCE = 8;

/** `askerFor` asks the upstream that will serve the request; `nvr` says where, and reads the answers. */
export function createOwnerLookup(
  askerFor: (askedFor: AskedFor) => { readonly name: string; readonly ask: AskOwner },
  { owners }: Pick<NvrAdapter, 'owners'>,
): OwnerLookup & { readonly camerasOf: OwnerCameras } {
  const known = new LRUCache<string, OwnedThing>(upTo(REMEMBERED_IDS));

  return {
    async camerasOf(kind, id, askedFor) {
      const { name, ask } = askerFor(askedFor);
      return (await ownedOf(name, ask, kind, id))?.cameras;
    },
    async denial(questions, view, askedFor) {
      const { name, ask } = askerFor(askedFor);
      if (questions.reduce((count, { ids }) => count + ids.length, 0) > MOST_IDS) return 'ids-too-many';
      for (const question of questions) {
        const denied = await toDenial(question, view, (kind, id) => ownedOf(name, ask, kind, id));
        if (denied) return denied;
      }
      return undefined;
    },
  };

  async function ownedOf(source: string, ask: AskOwner, kind: OwnerKind, id: string): Promise<OwnedThing | undefined> {
    if (isStartedKind(kind)) return startedThing(kind, id);
    const key = `${source} ${kind} ${id}`;
    const remembered = known.get(key);
    if (remembered) return remembered;
    const rule = owners[kind];
    // Of a kind that the adapter does not have nothing is known.
    if (!rule || (!rule.isByName && !isId(id))) return undefined;
    const found = rule.ownedIn(await ask(rule.path(id)).catch(nothingIfHidden), id);
    if (found && rule.isLasting) known.set(key, found);
    return found;
  }
}

/** What is hidden from an admin is of a camera that is no longer configured: for any other caller it is as unknown. */
function nothingIfHidden(fault: unknown): undefined {
  if (!(fault instanceof Error && 'status' in fault && fault.status === 403)) throw fault;
}

/** The NVR cannot be asked for its cameras. Undefined of what was not started through this process. */
function startedThing(kind: StartedKind, id: string): OwnedThing | undefined {
  const cameras = started[kind].get(id);
  return cameras && { cameras, start: undefined };
}

/**
 * Nothing is known of a job that another replica started: its id is random, and told to its starter alone. A session shows
 * pictures, and is refused there; not where its camera is named beside it, which is judged then.
 */
function isSeen({ of, beside }: OwnerQuestion, owned: OwnedThing | undefined, view: CameraView): boolean {
  if (owned === undefined) return of === 'job' || beside !== undefined;
  return seesAll(view, owned.cameras) && (!beside || owned.cameras.every((camera) => beside.includes(camera)));
}

/** What does not tell when it began may be of any time. */
const isInTime = ({ since }: CameraView, { start = Number.NEGATIVE_INFINITY }: OwnedThing, padding: number): boolean =>
  since === undefined || start - padding >= since;

const seesAll = (view: CameraView, cameras: readonly string[]): boolean =>
  cameras.length > 0 && cameras.every((camera) => view.sees(camera));

/** Whether the NVR may take the thing's pictures from a camera of a longer name: it finds them by the beginning of the name. */
const isOfNamesake = (view: CameraView, { cameras, start }: OwnedThing, since: number | undefined): boolean =>
  since !== undefined && isRecent(start, since) && cameras.some((camera) => isAmbiguous(camera, view));

/** An unknown id is refused like a foreign one: another status would tell that the foreign one exists. */
async function toDenial(
  question: OwnerQuestion,
  view: CameraView,
  ownedOf: (kind: OwnerKind, id: string) => Promise<OwnedThing | undefined>,
): Promise<RefusalReason | undefined> {
  const { of, ids, padding = 0, byPrefixSince } = question;
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const asked = ids.slice(at, at + AT_ONCE).map((id) => ownedOf(of, id));
    const lookups = await Promise.all(asked).catch(askFailure);
    if (typeof lookups === 'string') return lookups;
    if (!lookups.every((owned) => isSeen(question, owned, view))) return 'camera-not-in-role';
    if (!lookups.every((owned) => !owned || isInTime(view, owned, padding))) return 'history-too-old';
    if (lookups.some((owned) => owned && isOfNamesake(view, owned, byPrefixSince))) return 'name-not-unique';
  }
  return undefined;
}

/** Whose cameras the jobs and sessions of the NVR are of, as their start said: the NVR finds them by an id alone (SPEC 5, 20). */
const MOST_THINGS = 10_000;

/** One memory for the process: what is started outlives a reload. Ids are random. */
const started = {
  job: createFairMemory<readonly string[]>(MOST_THINGS),
  session: createFairMemory<readonly string[]>(MOST_THINGS),
  whep: createFairMemory<readonly string[]>(MOST_THINGS),
} satisfies Record<StartedKind, unknown>;

/** Where the answer to a start names the ids. */
const IDS_IN: Readonly<Record<StartedKind, (answer: string) => readonly string[]>> = {
  /** `{"job_id": …}`. Any other text is no start. */
  job(answer) {
    const { job_id: id } = Object(parsedJson(answer));
    return typeof id === 'string' ? [id] : [];
  },
  /** A playlist: `hls/playlist.m3u8?id=…`. */
  session: (playlist) => [...playlist.matchAll(/[?&]id=(?<id>[\w.-]+)/g)].map(({ groups }) => groups?.['id'] ?? ''),
  /** The address of a session of live pictures: its last segment is the secret. */
  whep: (location) => [URL.parse(location, 'http://nvr')?.pathname.split('/').at(-1) ?? ''],
};

/** `answer` is that of the NVR to the start; of a session of live pictures its `Location`. */
export function noteStarted({ kind, by, cameras }: StartedThing, answer: string): void {
  for (const id of IDS_IN[kind](answer)) if (isId(id)) started[kind].set(by, id, cameras);
}

export function createFairMemory<Value>(most: number) {
  /** Each holder's things, the latest used ones at the end. */
  const things = new Map<string, Map<string, Value>>();
  const holders = new Map<string, string>();

  const forget = (key: string): void => {
    const holder = holders.get(key) ?? '';
    const own = things.get(holder);
    holders.delete(key);
    own?.delete(key);
    if (own?.size === 0) things.delete(holder);
  };
  const makeRoom = (): void => {
    const [first, ...others] = things.values();
    if (!first) return;
    const fullest = others.reduce((one, other) => (other.size > one.size ? other : one), first);
    const [oldest] = fullest.keys();
    if (oldest !== undefined) forget(oldest);
  };
  /** The key is the holder's from now on. */
  const set = (holder: string, key: string, value: Value): void => {
    forget(key);
    if (holders.size >= most) makeRoom();
    const own = things.get(holder) ?? new Map<string, Value>();
    things.set(holder, own.set(key, value));
    holders.set(key, holder);
  };
  return {
    get(key: string): Value | undefined {
      const holder = holders.get(key) ?? '';
      const value = things.get(holder)?.get(key);
      if (value !== undefined) set(holder, key, value);
      return value;
    },
    set,
  };
}
