/** Asks as an admin what the NVR has of the canary's camera and of the others: ids that a leak would show. */
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
  /** How many rounds were there before: each round asks for another foreign camera. */
  readonly round: number;
  /** Unix seconds. */
  readonly now: number;
}

interface SurveyRow extends Owned {
  readonly json: JsonRecord;
}

/** Undefined when the NVR has fewer than two cameras. */
export async function survey({ ask, layout, round, now }: SurveyDeps): Promise<Landscape | undefined> {
  const [own, ...others] = layout.cameras;
  const foreign = others[round % Math.max(others.length, 1)];
  if (own === undefined || foreign === undefined) return undefined;
  const rowsAt = async (target: string): Promise<readonly SurveyRow[]> => rowsIn(jsonOf(await ask('witness', target)));
  const turned = [foreign, ...others.filter((camera) => camera !== foreign)].slice(0, MOST_CAMERAS_ASKED);
  const since = Math.floor(now - MONTH_SECONDS);
  const listed = async (path: string, more: string): Promise<readonly SurveyRow[]> => {
    const lists: SurveyRow[] = [];
    for (const cameras of [[own], turned]) {
      const names = encodeURIComponent(cameras.join(','));
      lists.push(...(await rowsAt(`${path}?cameras=${names}&limit=${MOST_ROWS}${more}`)));
    }
    return lists;
  };
  const events = await listed('/api/events', '&include_thumbnails=0');
  const reviews = await listed('/api/review', `&after=${since}`);
  const exports = await rowsAt('/api/exports');
  const things = { events, reviews, exports, cases: casesOf(exports) };
  const isForeign = ({ camera }: Owned): boolean => camera !== own && others.some((other) => other === camera);
  const sideOf = (camera: string, isOf: (row: Owned) => boolean): Side =>
    sideAmong(things, { camera, layout, isOf, now });
  const ids = [...events, ...reviews, ...exports, ...things.cases].filter(isForeign);
  return {
    own: sideOf(own, ({ camera }) => camera === own),
    foreign: sideOf(foreign, isForeign),
    foreignCameras: new Set(others),
    foreignStreams: new Set([...layout.streams.keys()].filter((name) => !isOwner(layout, name, own))),
    foreignIds: new Map(ids.filter(({ id }) => id.length >= SHORTEST_MARK).map(({ id, camera }) => [id, camera])),
  };
}

interface Things {
  readonly events: readonly SurveyRow[];
  readonly reviews: readonly SurveyRow[];
  readonly exports: readonly SurveyRow[];
  readonly cases: readonly Owned[];
}

interface SideOf {
  readonly camera: string;
  readonly layout: RecorderLayout;
  readonly isOf: (row: Owned) => boolean;
  readonly now: number;
}

function sideAmong({ events, reviews, exports, cases }: Things, { camera, layout, isOf, now }: SideOf): Side {
  const event = events.find(isOf);
  const exported = exports.find(isOf);
  const path = exported?.json['video_path'];
  const names = [...layout.streams.keys()].filter((name) => isOwner(layout, name, camera));
  return {
    camera,
    stream: names.find((name) => name !== camera) ?? names[0],
    event,
    review: reviews.find(isOf),
    export: exported,
    exportFile:
      exported && typeof path === 'string'
        ? { id: path.slice(path.lastIndexOf('/') + 1), camera: exported.camera }
        : undefined,
    case: cases.find(isOf),
    at: Math.floor(Number(event?.json['start_time'] ?? Number.NaN)) || Math.floor(now - HOUR_SECONDS),
  };
}

const isOwner = (layout: RecorderLayout, stream: string, camera: string): boolean =>
  ownersOfStream(layout, stream).some((owner) => owner === camera);

/** Cases of one camera only: those of several may be seen by more than one. */
function casesOf(exports: readonly SurveyRow[]): readonly Owned[] {
  const byCase = Map.groupBy(exports, ({ json }) => json['export_case_id']);
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
