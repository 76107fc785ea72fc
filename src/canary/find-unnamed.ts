/**
 * Finds leaks in answers that name no camera: sums, days, labels. The canary's answer is compared with an admin's, for all
 * cameras and for the canary's own; nothing that changes between two questions is taken for a leak.
 */
import { memberOf } from '../access/recorder-layout.ts';
import { isRecord } from '../domain/json.ts';
import { type Answer, type Ask, jsonOf } from './answer.ts';
import type { CanaryRequest } from './canary-requests.ts';
import type { ForeignTrace } from './find-foreign.ts';
import type { Landscape } from './landscape.ts';

/** Lists of names that events have, with the parameter that asks for events of one name, and where an event has it. */
interface NameList {
  readonly parameter: string;
  readonly nameIn: (event: unknown) => unknown;
}

const NAME_LISTS: Readonly<Record<string, NameList>> = {
  '/api/labels': { parameter: 'labels', nameIn: (event) => memberOf(event, 'label') },
  '/api/sub_labels': { parameter: 'sub_labels', nameIn: (event) => memberOf(event, 'sub_label') },
  '/api/recognized_license_plates': {
    parameter: 'recognized_license_plate',
    nameIn: (event) => memberOf(memberOf(event, 'data'), 'recognized_license_plate'),
  },
};

const MOST_NAMES = 20;
const MOST_CAMERAS_ASKED = 16;

export async function findUnnamed(
  { target, about, row }: CanaryRequest,
  answer: Answer,
  landscape: Landscape,
  ask: Ask,
): Promise<ForeignTrace | undefined> {
  if (about !== 'all' || jsonOf(answer) === undefined) return undefined;
  const all = await ask('witness', target);
  const list = NAME_LISTS[row.path];
  if (list) return findName(list, namesIn(jsonOf(answer)), namesIn(jsonOf(all)), landscape, ask);
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
  list: NameList,
  got: readonly string[],
  all: readonly string[],
  { own, foreignCameras }: Landscape,
  ask: Ask,
): Promise<ForeignTrace | undefined> {
  if (!all.every((name) => got.includes(name))) return undefined;
  const foreign = [...foreignCameras].slice(0, MOST_CAMERAS_ASKED);
  for (const name of got.filter(isAskable).slice(0, MOST_NAMES)) {
    if ((await ownerOf(list, name, [own.camera], ask)) !== undefined) continue;
    const camera = await ownerOf(list, name, foreign, ask);
    if (camera !== undefined) return { camera, by: 'name' };
  }
  return undefined;
}

const EVENTS_PER_NAME = 3;

/** Which of the cameras has an event of that name; an old NVR answers with those of other cameras, too. */
async function ownerOf(
  { parameter, nameIn }: NameList,
  name: string,
  cameras: readonly string[],
  ask: Ask,
): Promise<string | undefined> {
  const query = new URLSearchParams({
    cameras: cameras.join(','),
    [parameter]: name,
    limit: String(EVENTS_PER_NAME),
    include_thumbnails: '0',
  });
  const json = jsonOf(await ask('witness', `/api/events?${query}`));
  const events = (Array.isArray(json) ? json : []).filter(isRecord);
  const found = events.find(
    (event) => cameras.includes(String(event['camera'])) && namesOf(nameIn(event)).includes(name),
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
