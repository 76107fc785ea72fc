/** `POST /s/{secret}` with `{pin}` as JSON: what a program sends in the place of the page's form (SPEC 13). */
import Router from 'koa-router';
import { BODY_LIMITS } from '../../domain/body-limits.ts';
import { refusalBody } from '../../domain/refusal.ts';
import { LINK_PATH } from '../../domain/shared-thing.ts';
import type { RouteState } from '../../domain/verdict.ts';
import { stringFields } from '../http/body-fields.ts';
import { readJson } from '../http/read-json.ts';
import { refuse, refuseBody, refuseFields, refuseFor, respond } from '../http/responses.ts';
import type { AccountRouterContext } from '../http/route-guards.ts';
import { givePin, type VisitDeps } from './link-visit.ts';

export interface PinRouteDeps extends VisitDeps {
  /** `server.timeout_login_body`. */
  readonly bodySeconds: () => number;
}

const BUSY_RETRY_SECONDS = 5;

export function createPinRoute(deps: PinRouteDeps): Router<RouteState> {
  const router = new Router<RouteState>({ strict: true, sensitive: true });
  // A form, and whatever else is not JSON, is for the page.
  router.post(`${LINK_PATH}/:secret`, (ctx, next) =>
    /^application\/json/i.test(ctx.get('Content-Type')) ? answer(ctx, deps) : next(),
  );
  return router;
}

async function answer(ctx: AccountRouterContext, deps: PinRouteDeps): Promise<void> {
  const body = await readJson(ctx.req, { bytes: BODY_LIMITS.credentials, seconds: deps.bodySeconds() });
  if (!body.ok) return refuseBody(ctx, body.error);
  const fields = stringFields(body.value, { required: ['pin'] });
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
