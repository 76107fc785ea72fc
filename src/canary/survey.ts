/** Asks as an admin what the NVR has of the canary's camera and of the others: ids that a leak would show. */
import type { CanarySeeds, ListedThing, SeedList } from '../access/canary-seeds.ts';
import { ownersOfStream, type RecorderLayout } from '../access/recorder-layout.ts';
import { isRecord, type JsonRecord } from '../domain/json.ts';
import { type Ask, jsonOf } from './answer.ts';
import type { Landscape, Owned, Side } from './landscape.ts';

/** Fewer than that could be parts of other words. */
const SHORTEST_MARK = 8;
const MOST_ROWS = 20;
const MONTH_SECONDS = 30 * 86_400;
const HOUR_SECONDS = 3600;
/** More cameras would make the address of a question too long. */
const MOST_CAMERAS_ASKED = 16;

export interface SurveyDeps {
  readonly ask: Ask;
  readonly layout: RecorderLayout;
  readonly seeds: CanarySeeds;
  /** How many rounds were there before: each round asks for another foreign camera. */
  readonly round: number;
  /** Unix seconds. */
  readonly now: number;
}

interface SurveyRow extends Owned {
  readonly json: JsonRecord;
}

/** Undefined when the NVR has fewer than two cameras. */
export async function survey({ ask, layout, seeds, round, now }: SurveyDeps): Promise<Landscape | undefined> {
  const [own, ...others] = layout.cameras;
  const foreign = others[round % Math.max(others.length, 1)];
  if (own === undefined || foreign === undefined) return undefined;
  const rowsAt = async (target: string): Promise<readonly SurveyRow[]> => rowsIn(jsonOf(await ask('witness', target)));
  const turned = [foreign, ...others.filter((camera) => camera !== foreign)].slice(0, MOST_CAMERAS_ASKED);
  const since = Math.floor(now - MONTH_SECONDS);
  const listed = async (list: SeedList): Promise<readonly SurveyRow[]> => {
    if (!list.isByCamera) return rowsAt(list.path);
    const rows: SurveyRow[] = [];
    for (const cameras of [[own], turned]) {
      const query = new URLSearchParams({ cameras: cameras.join(','), limit: String(MOST_ROWS), ...list.query });
      if (list.since) query.set(list.since, String(since));
      rows.push(...(await rowsAt(`${list.path}?${query}`)));
    }
    return rows;
  };
  const lists: Listing[] = [];
  for (const list of seeds.lists) lists.push({ list, rows: await listed(list) });
  const things = { lists, cases: lists.flatMap(casesOf) };
  const isForeign = ({ camera }: Owned): boolean => camera !== own && others.some((other) => other === camera);
  const sideOf = (camera: string, isOf: (row: Owned) => boolean): Side =>
    sideAmong(things, { camera, layout, isOf, now });
  const ids = [...lists.flatMap(({ rows }) => rows), ...things.cases].filter(isForeign);
  return {
    own: sideOf(own, ({ camera }) => camera === own),
    foreign: sideOf(foreign, isForeign),
    foreignCameras: new Set(others),
    foreignStreams: new Set([...layout.streams.keys()].filter((name) => !isOwner(layout, name, own))),
    foreignIds: new Map(ids.filter(({ id }) => id.length >= SHORTEST_MARK).map(({ id, camera }) => [id, camera])),
  };
}

interface Listing {
  readonly list: SeedList;
  readonly rows: readonly SurveyRow[];
}

interface Things {
  readonly lists: readonly Listing[];
  readonly cases: readonly Owned[];
}

interface SideOf {
  readonly camera: string;
  readonly layout: RecorderLayout;
  readonly isOf: (row: Owned) => boolean;
  readonly now: number;
}

function sideAmong({ lists, cases }: Things, { camera, layout, isOf, now }: SideOf): Side {
  const found = (of: ListedThing): SurveyRow | undefined =>
    lists.find(({ list }) => list.of === of)?.rows.find((row) => isOf(row));
  /** The value of a field that one of the lists has. */
  const told = (field: 'time' | 'file'): unknown => {
    const list = lists.find((one) => one.list[field] !== undefined)?.list;
    return list && found(list.of)?.json[list[field] ?? ''];
  };
  const exported = found('export');
  const path = told('file');
  const names = [...layout.streams.keys()].filter((name) => isOwner(layout, name, camera));
  return {
    camera,
    stream: names.find((name) => name !== camera) ?? names[0],
    event: found('event'),
    review: found('review'),
    export: exported,
    exportFile:
      exported && typeof path === 'string'
        ? { id: path.slice(path.lastIndexOf('/') + 1), camera: exported.camera }
        : undefined,
    case: cases.find(isOf),
    at: Math.floor(Number(told('time') ?? Number.NaN)) || Math.floor(now - HOUR_SECONDS),
  };
}

const isOwner = (layout: RecorderLayout, stream: string, camera: string): boolean =>
  ownersOfStream(layout, stream).some((owner) => owner === camera);

/** Cases of one camera only: those of several may be seen by more than one. */
function casesOf({ list: { case: field }, rows: all }: Listing): readonly Owned[] {
  if (field === undefined) return [];
  const byCase = Map.groupBy(all, ({ json }) => json[field]);
  return [...byCase].flatMap(([id, rows]) => {
    const cameras = [...new Set(rows.map(({ camera }) => camera))];
    const [camera] = cameras;
    return typeof id === 'string' && camera !== undefined && cameras.length === 1 ? [{ id, camera }] : [];
  });
}

const rowsIn = (json: unknown): readonly SurveyRow[] =>
  (Array.isArray(json) ? json : []).filter(isRecord).flatMap((row) => {
    const { id, camera } = row;
    return typeof id === 'string' && typeof camera === 'string' ? [{ id, camera, json: row }] : [];
  });
