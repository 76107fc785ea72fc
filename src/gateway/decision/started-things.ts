/** Whose cameras the jobs and sessions of the NVR are of, as their start said: the NVR finds them by an id alone (SPEC 5, 20). */
import type { StartedThing } from '../../access/access-verdict.ts';
import { isId } from '../../access/camera-locators.ts';
import { parsedJson } from '../../domain/json.ts';
import type { StartedKind } from '../../domain/policy.ts';

const MOST_THINGS = 10_000;

/** One memory for the process: what is started outlives a reload. Ids are random. */
const known: Readonly<Record<StartedKind, FairMemory<readonly string[]>>> = {
  job: createFairMemory(MOST_THINGS),
  session: createFairMemory(MOST_THINGS),
  whep: createFairMemory(MOST_THINGS),
};

/** Where the answer to a start names the id. */
const IDS_IN: Readonly<Record<Exclude<StartedKind, 'whep'>, (started: string) => readonly string[]>> = {
  /** `{"job_id": …}`. Any other text is no start. */
  job(started) {
    const { job_id: id } = Object(parsedJson(started));
    return typeof id === 'string' ? [id] : [];
  },
  /** A playlist: `hls/playlist.m3u8?id=…`. */
  session: (playlist) => [...playlist.matchAll(/[?&]id=(?<id>[\w.-]+)/g)].map(({ groups }) => groups?.['id'] ?? ''),
};

/** `location` is the address of a session of live pictures: its last segment is the secret. `by` is the name of who started it. */
export function noteStartedWhep(location: string, { by, cameras }: Omit<StartedThing, 'kind'>): void {
  const path = URL.parse(location, 'http://nvr')?.pathname ?? '';
  const secret = path.slice(path.lastIndexOf('/') + 1);
  if (isId(secret)) known.whep.set(by, secret, cameras);
}

/** `started` is what the NVR answered to the start. */
export function noteStarted({ kind, by, cameras }: StartedThing, started: string): void {
  if (kind === 'whep') return; // its address names it: see `noteStartedWhep`
  for (const id of IDS_IN[kind](started)) if (isId(id)) known[kind].set(by, id, cameras);
}

/** Undefined of what was not started through this process. */
export const camerasOfStarted = (kind: StartedKind, id: string): readonly string[] | undefined => known[kind].get(id);

interface FairMemory<Value> {
  get(key: string): Value | undefined;
  /** The key is the holder's from now on. */
  set(holder: string, key: string, value: Value): void;
}

export function createFairMemory<Value>(most: number): FairMemory<Value> {
  /** Each holder's things, those that were used last at the end. */
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
  const set = (holder: string, key: string, value: Value): void => {
    forget(key);
    if (holders.size >= most) makeRoom();
    const own = things.get(holder) ?? new Map<string, Value>();
    things.set(holder, own.set(key, value));
    holders.set(key, holder);
  };
  return {
    get(key) {
      const holder = holders.get(key) ?? '';
      const value = things.get(holder)?.get(key);
      if (value !== undefined) set(holder, key, value);
      return value;
    },
    set,
  };
}
