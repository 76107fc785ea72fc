/** `POST /s/{secret}` with `{pin}` as JSON: what a program sends in the place of the page's form (SPEC 13). */
import { z } from 'zod';
import { BODY_LIMITS } from '../../domain/read-body.ts';
import { refusalBody } from '../../domain/refusal.ts';
import { LINK_PATH } from '../../domain/shared-thing.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { BODY_NO, named } from '../../routes/shapes.ts';
import { GIVEN_PIN } from '../http/answers.ts';
import { fieldsIn, GIVEN_TEXT } from '../http/body-fields.ts';
import { isJson, readJson } from '../http/read-json.ts';
import { refuse, refuseBody, refuseFields, refuseFor, respond } from '../http/responses.ts';
import { givePin, type VisitDeps } from './link-visit.ts';

export interface PinRouteDeps extends VisitDeps {
  /** Seconds in which the body of a login must arrive. */
  readonly bodySeconds: () => number;
  /** The page takes a form, and whatever else is not JSON. */
  readonly byForm: (ctx: RouteContext) => Promise<void>;
}

const BUSY_RETRY_SECONDS = 5;
const FILE_NO = [206, 304, 403, 404, 416, 429, 502, 503, 504];

const PIN = named('Pin', z.object({ pin: GIVEN_TEXT }));

/** The secret in the address is the credential. With `link` the path stands for one of the NVR, judged with the rights of the link. */
// biome-ignore format: a table
export const LINK_PAGE_ROUTES: readonly OwnRoute<PinRouteDeps>[] = [
  { route: `POST ${LINK_PATH}/{secret}`, access: 'public', secret: true, note: 'the PIN', summary: 'Give the PIN of a link, as JSON or by the form of the page: the answer sets a cookie for that link', body: PIN, yes: [200, GIVEN_PIN], no: [...BODY_NO, 303, 403, 404, 408, 429], type: 'text/html',
    handler: (ctx, deps) => (isJson(ctx) ? answer(ctx, deps) : deps.byForm(ctx)) },
  { route: `GET ${LINK_PATH}/{secret}/{file}`, access: 'public', link: true, summary: 'What a link shows: snapshot.jpg, thumbnail.jpg, clip.mp4, preview.gif or live', yes: [200], no: FILE_NO, type: 'application/octet-stream' },
  { route: `GET ${LINK_PATH}/{secret}/vod/{file}`, access: 'public', link: true, note: 'a playlist and its segments', summary: 'The playlist of a link, index.m3u8, and its segments', yes: [200], no: FILE_NO, type: 'application/octet-stream' },
  { route: `OPTIONS ${LINK_PATH}/{secret}/{file}`, access: 'public', summary: 'Pages of other sites may read what a link shows, and its parts by Range: for cast devices', yes: [204], no: [404],
    handler: allowReading },
  { route: `OPTIONS ${LINK_PATH}/{secret}/vod/{file}`, access: 'public', summary: 'The same for a playlist and its segments', yes: [204], no: [404],
    handler: allowReading },
  { route: `WS ${LINK_PATH}/{secret}`, access: 'none' },
  { route: `WS ${LINK_PATH}/{secret}/{rest...}`, access: 'none' },
];

/** The same for every secret: nothing is asked of the link, and the answer is no credential. */
function allowReading(ctx: RouteContext): void {
  ctx.set({
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'GET, HEAD',
    'Access-Control-Allow-Headers': 'Range',
    'Access-Control-Max-Age': '86400',
    'Cache-Control': 'no-store',
  });
  ctx.status = 204;
}

async function answer(ctx: RouteContext, deps: PinRouteDeps): Promise<void> {
  const body = await readJson(ctx.req, { bytes: BODY_LIMITS.credentials, seconds: deps.bodySeconds() });
  if (!body.ok) return refuseBody(ctx, body.error);
  const fields = fieldsIn(PIN, body.value);
  if (!fields.ok) return refuseFields(ctx, fields.error);
  const outcome = await givePin({ secret: ctx.params['secret'] ?? '', pin: fields.value.pin }, ctx, deps);
  switch (outcome.kind) {
    case 'right':
      ctx.append('Set-Cookie', outcome.cookie);
      return respond(ctx, 200, { success: true, expires_at: outcome.expiresAt });
    case 'wrong':
      return refuse(ctx, 403, 'That PIN is not right', { reason: 'link-pin-wrong' });
    case 'over':
      return refuseFor(ctx, 'link-over');
    case 'busy':
      ctx.set('Retry-After', String(BUSY_RETRY_SECONDS));
      return respond(ctx, 503, refusalBody('nvr-unreachable'));
    case 'limited':
      ctx.set('Retry-After', String(outcome.seconds));
      return refuse(ctx, 429, `Too many attempts: try again in ${outcome.seconds} s.`);
  }
}
