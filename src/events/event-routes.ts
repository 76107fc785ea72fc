/** GET /api/events, events by their ids, the stored picture of one, and which labels, sub-labels, zones and plates there are (interface 4.1; SPEC 7). */
import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import type { CameraScope } from '../domain/camera-scope.ts';
import { MOST_ROWS, NEWEST_FIRST } from '../domain/events/event-filters.ts';
import type { DistinctColumn, FoundEvent, StoredEvent } from '../domain/events/event-question.ts';
import { parseCount, parseDecimal, parseList, parseWhole } from '../domain/events/parse-value.ts';
import { splitCommas } from '../domain/text.ts';
import type { ZoneOffsets } from '../domain/zone-offsets.ts';
import type { EventSource } from '../store/events/events-table.ts';
import { eventsSince, namedCameras, UTC } from './caller.ts';
import { readEventsQuery, readParameters } from './read-query.ts';
import { eventJson, eventsJson, refused, sendJson, sendNoSuchEvent } from './responses.ts';

/** What the caller of a request sees. */
export interface CallerView {
  readonly scope: CameraScope;
  /** The events, with a deadline. */
  readonly events: EventSource;
  /** The cameras that the response may hold, of the requested ones (null: of all). Throws where one of `named` is not visible. */
  readonly seen: (asked: readonly string[] | null, named?: readonly string[]) => Promise<readonly string[] | null>;
}

/** Set by the backend's first middleware. */
export interface EventsState extends CallerView {
  /** The same as of now, for a response without end; undefined when the role is gone. */
  readonly viewNow: () => CallerView | undefined;
}

export type EventsHandler = (ctx: Context & { state: EventsState; params: Record<string, string> }) => Promise<void>;

export const listEvents =
  (offsetsOf: ZoneOffsets): EventsHandler =>
  async (ctx) => {
    const { events, seen } = ctx.state;
    const parameters = new URLSearchParams(ctx.querystring);
    const { cameras: asked, hasThumbnails, ...question } = readEventsQuery(parameters, offsetsOf);
    const cameras = await seen(asked, namedCameras(parameters, ['camera', 'cameras']));
    const limit = Math.min(question.limit, MOST_ROWS);
    // One more than is sent tells whether there is a next page.
    const found = await events.find({ ...question, cameras, limit: limit && limit + 1 });
    const page = found.slice(0, limit);
    if (found.length > limit) ctx.set('Link', linkBehind(page.at(-1), parameters));
    sendJson(ctx, await eventsJson(page, { thumbnails: hasThumbnails }, events));
  };

/** RFC 8288: relative to the address that was asked, whatever stands in front of it. */
function linkBehind(last: FoundEvent | undefined, parameters: URLSearchParams): string {
  const next = new URLSearchParams(parameters);
  next.set('page_after', `${last?.value ?? ''}~${last?.id}`);
  return `<?${next}>; rel="next"`;
}

/**
 * The events with their pictures. Interface 7: a foreign camera's event is a 403, and so is the event of a camera that no longer
 * exists. To a restricted role an event that does not exist is one too, for a 404 would tell it which foreign events there are.
 */
async function readVisible(ids: readonly string[], { scope, events, seen }: EventsState): Promise<StoredEvent[]> {
  const found = await events.read(ids, { thumbnails: true });
  if (scope.kind === 'only' && found.length < ids.length) throw refused('camera-not-in-role');
  const cameras = [...new Set(found.map(({ camera }) => camera))];
  if (((await seen(cameras, cameras)) ?? cameras).length < cameras.length) throw refused('camera-not-in-role');
  return [...found];
}

export const oneEvent: EventsHandler = async (ctx) => {
  const [event] = await readVisible([ctx.params['id'] ?? ''], ctx.state);
  if (event) sendJson(ctx, eventJson(event));
  else sendNoSuchEvent(ctx);
};

/** Columns of the reference's table that nothing is written to any more. */
const LEGACY_COLUMNS = ',"score":null,"region":null,"area":null,"ratio":null';

/** An unknown id is skipped for a caller who sees all cameras. */
export const listByIds: EventsHandler = async (ctx) => {
  const { ids = [] } = readParameters(ctx, { ids: parseList }, ['ids']);
  const found = await readVisible(ids, ctx.state);
  sendJson(ctx, `[${found.map((event) => eventJson(event, LEGACY_COLUMNS)).join(',')}]`);
};

/** The reference's default: a month, for the picture of an event that is over does not change. */
const PICTURE_SECONDS = 2_592_000;
/** 132 bits: no two pictures share them. */
const ETAG_LENGTH = 22;
const PICTURE_ENDINGS: readonly string[] = ['webp', 'png', 'jpg', 'jpeg'];

export const eventThumbnail: EventsHandler = async (ctx) => {
  if (!PICTURE_ENDINGS.includes(ctx.params['extension'] ?? '')) throw refused('path-not-found');
  const { max_cache_age: seconds = PICTURE_SECONDS } = readParameters(ctx, { max_cache_age: parseCount });
  const [event] = await readVisible([ctx.params['id'] ?? ''], ctx.state);
  if (!event) return sendNotFound(ctx, 'Event not found');
  if (!event.thumbnail) return sendNotFound(ctx, 'This event has no stored thumbnail');
  ctx.set('Cache-Control', event.end_time === null ? 'no-store' : `private, max-age=${seconds}`);
  sendPicture(ctx, Buffer.from(event.thumbnail, 'base64'));
};

function sendPicture(ctx: Context, picture: Buffer): void {
  // Imported bytes are not trusted: they are sent as a picture, or not at all.
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.etag = createHash('sha256').update(picture).digest('base64url').slice(0, ETAG_LENGTH);
  ctx.type = pictureType(picture);
  ctx.body = picture;
  if (ctx.fresh) ctx.status = 304;
}

function sendNotFound(ctx: Context, message: string): void {
  ctx.status = 404;
  ctx.body = { success: false, message };
}

const SIGNATURES: readonly [type: string, at: number, signature: string][] = [
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/png', 0, '\x89PNG'],
  ['image/webp', 8, 'WEBP'],
  ['image/gif', 0, 'GIF8'],
];

/** The type of a picture by its first bytes, whatever ending was asked for: pictures are served as they were stored. */
function pictureType(picture: Buffer): string {
  const known = SIGNATURES.find(
    ([, at, signature]) => picture.toString('latin1', at, at + signature.length) === signature,
  );
  return known?.[0] ?? 'application/octet-stream';
}

/** `exists`: whether a camera is listed, or has events. */
export const listLabels =
  (exists: (camera: string) => Promise<boolean>): EventsHandler =>
  async (ctx) => {
    const { after: since } = readParameters(ctx, { after: parseDecimal });
    const named = new URLSearchParams(ctx.querystring).getAll('camera').filter((camera) => camera !== '');
    const asked = named.at(-1);
    const cameras = await ctx.state.seen(asked === undefined ? null : [asked], named);
    // As the reference has it, a camera that does not exist is refused here, to admins as well.
    if (asked !== undefined && (cameras?.length === 0 || !(await exists(asked)))) throw refused('camera-not-in-role');
    // The gate asks in its own name for a caller who sees no further back.
    const events = since === undefined ? ctx.state.events : eventsSince(ctx.state.events, since);
    ctx.body = [...(await events.distinct('label', cameras))].sort();
  };

/** Names that may be joined in one event; `split_joined` takes them apart. */
export const listJoinedNames =
  (column: DistinctColumn): EventsHandler =>
  async (ctx) => {
    const { split_joined: isSplit } = readParameters(ctx, { split_joined: parseWhole });
    const names = await ctx.state.events.distinct(column, await ctx.state.seen(null));
    ctx.body = [...(isSplit ? new Set(names.flatMap(splitCommas)) : names)].sort();
  };

/** The span of the newest events whose zones are listed: a zone that was renamed long ago is no choice any more. */
const ZONES_OF_SECONDS = 30 * 86_400;

export const listZones: EventsHandler = async (ctx) => {
  const { events, seen } = ctx.state;
  const named = namedCameras(new URLSearchParams(ctx.querystring), ['camera', 'cameras']);
  const cameras = await seen(named.length > 0 ? named : null, named);
  const [newest] = await events.find({ cameras, conditions: [], sort: NEWEST_FIRST, limit: 1 });
  const until = (newest?.value ?? 0) + 1;
  const from = until - ZONES_OF_SECONDS;
  const groups = newest ? await events.groups({ cameras, conditions: [], offsets: UTC, from, until }) : [];
  ctx.body = [...new Set(groups.flatMap(({ zonesJson }) => zonesIn(zonesJson)))].sort();
};

function zonesIn(json: string): readonly string[] {
  const zones: unknown = JSON.parse(json);
  return Array.isArray(zones) ? zones.filter((zone) => typeof zone === 'string') : [];
}
