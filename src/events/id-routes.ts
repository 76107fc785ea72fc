/** Events asked for by their ids, and the stored picture of one (SPEC 7). */
import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { parseCount, parseList } from '../domain/events/parse-value.ts';
import type { EventDeps, EventsHandler } from './event-routes.ts';
import { createParameters } from './read-parameters.ts';
import { sendBadParameters, sendJson, sendRefusal } from './responses.ts';
import { eventJson } from './write-response.ts';

/** Columns of the reference's table that nothing is written to any more. */
const LEGACY_COLUMNS = ',"score":null,"region":null,"area":null,"ratio":null';

/**
 * A foreign id refuses the whole request, as a foreign camera does; so does an unknown one for whoever does not see all
 * cameras, because another answer would tell that the foreign one exists. For all others it is skipped.
 */
export function listByIds({ seen }: EventDeps): EventsHandler {
  return async (ctx) => {
    const parameters = createParameters(new URLSearchParams(ctx.querystring));
    const ids = parameters.require('ids', parseList);
    if (!ids) return sendBadParameters(ctx, parameters.bad);
    const found = await ctx.state.events.read(ids, { thumbnails: true });
    const cameras = [...new Set(found.map(({ camera }) => camera))];
    const { scope } = ctx.state;
    if (scope.kind === 'only' && found.length < ids.length) return sendRefusal(ctx, 'camera-not-in-role');
    const visible = await seen(scope, cameras, cameras);
    if (visible.kind === 'foreign' || (visible.cameras ?? []).length < cameras.length)
      return sendRefusal(ctx, 'camera-not-in-role');
    sendJson(ctx, `[${found.map((event) => eventJson(event, LEGACY_COLUMNS)).join(',')}]`);
  };
}

/** The reference's default: a month, for the picture of an event that is over does not change. */
const PICTURE_SECONDS = 2_592_000;
/** 132 bits: no two pictures share them. */
const ETAG_LENGTH = 22;
const PICTURE_ENDINGS: readonly string[] = ['webp', 'png', 'jpg', 'jpeg'];

export function eventThumbnail({ seen }: EventDeps): EventsHandler {
  return async (ctx) => {
    if (!PICTURE_ENDINGS.includes(ctx.params['extension'] ?? '')) return sendRefusal(ctx, 'path-not-found');
    const parameters = createParameters(new URLSearchParams(ctx.querystring));
    const seconds = parameters.read('max_cache_age', parseCount) ?? PICTURE_SECONDS;
    if (parameters.bad.length > 0) return sendBadParameters(ctx, parameters.bad);
    const [event] = await ctx.state.events.read([ctx.params['id'] ?? ''], { thumbnails: true });
    if (!event && ctx.state.scope.kind === 'only') return sendRefusal(ctx, 'camera-not-in-role');
    if (!event) return sendNotFound(ctx, 'Event not found');
    const visible = await seen(ctx.state.scope, [event.camera], [event.camera]);
    if (visible.kind === 'foreign' || visible.cameras?.length === 0) return sendRefusal(ctx, 'camera-not-in-role');
    if (!event.thumbnail) return sendNotFound(ctx, 'This event has no stored thumbnail');
    ctx.set('Cache-Control', event.end_time === null ? 'no-store' : `private, max-age=${seconds}`);
    sendPicture(ctx, Buffer.from(event.thumbnail, 'base64'));
  };
}

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
