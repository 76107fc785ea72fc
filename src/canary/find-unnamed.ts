/**
 * Finds leaks in answers that name no camera: sums, days, labels. The canary's answer is compared with an admin's, for all
 * cameras and for the canary's own; nothing that changes between two questions is taken for a leak.
 */
import type { NameList } from '../access/canary-seeds.ts';
import type { NvrAdapter } from '../access/nvr-adapter.ts';
import { memberOf } from '../access/recorder-layout.ts';
import { isRecord } from '../domain/json.ts';
import { type Answer, type Ask, jsonOf } from './answer.ts';
import type { CanaryRequest } from './canary-requests.ts';
import type { ForeignTrace } from './find-foreign.ts';
import type { Landscape } from './landscape.ts';

export interface UnnamedDeps {
  readonly ask: Ask;
  readonly nvr: NvrAdapter;
}

/** How the camera is found that has events of a name. */
interface NameQuestions {
  readonly list: NameList;
  /** The path of the events. */
  readonly events: string;
  readonly ask: Ask;
}

const MOST_NAMES = 20;
const MOST_CAMERAS_ASKED = 16;

export async function findUnnamed(
  { target, about, row }: CanaryRequest,
  answer: Answer,
  landscape: Landscape,
  { ask, nvr }: UnnamedDeps,
): Promise<ForeignTrace | undefined> {
  if (about !== 'all' || jsonOf(answer) === undefined) return undefined;
  const all = await ask('witness', target);
  const list = nvr.canary.nameLists[row.path];
  const { list: events } = nvr.events;
  if (list && events) return findName({ list, events, ask }, namesIn(jsonOf(answer)), namesIn(jsonOf(all)), landscape);
  const own = isSame(answer, all) ? await ask('witness', withCamera(target, landscape.own.camera)) : all;
  if (jsonOf(own) === undefined || isSame(own, all)) return undefined;
  // A value that comes and goes, such as the load of a graphics card, would differ by chance: all must stay as they are.
  for (let times = 0; times < REPEATS; times += 1) {
    const [mine, theirs, owns] = [
      await ask('canary', target),
      await ask('witness', target),
      await ask('witness', withCamera(target, landscape.own.camera)),
    ];
    if (!isSame(mine, all) || !isSame(theirs, all) || !isSame(owns, own)) return undefined;
  }
  return { camera: undefined, by: 'sum' };
}

const REPEATS = 5;

const isSame = (one: Answer, other: Answer): boolean =>
  one.status === 200 && other.status === 200 && one.isWhole && other.isWhole && one.body === other.body;

const withCamera = (target: string, camera: string): string =>
  `${target}${target.includes('?') ? '&' : '?'}${new URLSearchParams({ camera, cameras: camera })}`;

/** A list that lacks a name of the whole one is narrowed. A name in it that only foreign events have is a leak. */
async function findName(
  names: NameQuestions,
  got: readonly string[],
  all: readonly string[],
  { own, foreignCameras }: Landscape,
): Promise<ForeignTrace | undefined> {
  if (!all.every((name) => got.includes(name))) return undefined;
  const foreign = [...foreignCameras].slice(0, MOST_CAMERAS_ASKED);
  for (const name of got.filter(isAskable).slice(0, MOST_NAMES)) {
    if ((await ownerOf(names, name, [own.camera])) !== undefined) continue;
    const camera = await ownerOf(names, name, foreign);
    if (camera !== undefined) return { camera, by: 'name' };
  }
  return undefined;
}

const EVENTS_PER_NAME = 3;

/** Which of the cameras has an event of that name; an old NVR answers with those of other cameras, too. */
async function ownerOf(
  { list: { parameter, at }, events: path, ask }: NameQuestions,
  name: string,
  cameras: readonly string[],
): Promise<string | undefined> {
  const query = new URLSearchParams({
    cameras: cameras.join(','),
    [parameter]: name,
    limit: String(EVENTS_PER_NAME),
    include_thumbnails: '0',
  });
  const json = jsonOf(await ask('witness', `${path}?${query}`));
  const events = (Array.isArray(json) ? json : []).filter(isRecord);
  const found = events.find(
    (event) => cameras.includes(String(event['camera'])) && namesOf(at.reduce<unknown>(memberOf, event)).includes(name),
  );
  return found && String(found['camera']);
}

/** Several names of one event are joined by commas. */
const namesOf = (joined: unknown): readonly string[] =>
  typeof joined === 'string' ? joined.split(',').map((name) => name.trim()) : [];

const namesIn = (json: unknown): readonly string[] =>
  Array.isArray(json) ? json.filter((name) => typeof name === 'string') : [];

/** The NVR reads commas as a list, and these words as other questions. */
const isAskable = (name: string): boolean => name !== '' && name !== 'all' && name !== 'None' && !name.includes(',');
