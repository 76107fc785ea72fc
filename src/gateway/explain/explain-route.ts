/** `GET /api/explain`, the trace of a described request, and `GET /api/access`, who sees which camera: for admins (SPEC 1, 15). */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type HolderView, scopeView } from '../../access/camera-view.ts';
import { holdersIn } from '../../accounts/tokens/holders.ts';
import type { Services } from '../../app/services.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { VERBS } from '../../domain/policy.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { CAMERAS, named, TEXT } from '../../routes/shapes.ts';

const QUERY = {
  method: 'GET when not given',
  path: 'With its query',
  user: 'An account',
  camera: 'In the place of method and path: whether the account may see this camera',
  shows: 'With camera: live, history or export',
  header: '"Name: value", may be repeated',
  peer: 'Address that the request comes from',
};
const EXPLANATION = named(
  'Explanation',
  z.looseObject({}).meta({ description: 'How a request would be authorized, and why' }),
);

export const ACCESS = named(
  'CameraAccess',
  z.object({
    cameras: CAMERAS,
    holders: z.array(
      z.object({
        kind: z.enum(['user', 'token']),
        name: TEXT,
        owner: TEXT.optional().meta({ description: 'A token: whose' }),
        role: TEXT,
        mustEnrol: z.literal(true).optional().meta({ description: 'A second factor must be set up first' }),
        cameras: z.union([z.literal('all'), CAMERAS]),
        denied: z.array(z.enum(VERBS)),
        closed: TEXT.optional().meta({
          description: 'Why nothing is seen now: account-ended, account-not-begun, role-missing, outside-hours',
        }),
      }),
    ),
  }),
);

/** The known cameras, and all accounts and API tokens with the cameras that each sees. */
export interface CameraAccess {
  readonly cameras: readonly string[];
  readonly holders: readonly HolderView[];
}

// biome-ignore format: a table
export const EXPLAIN_ROUTES: readonly OwnRoute<Pick<Services, 'explain'> & AccessServices>[] = [
  { route: 'GET /api/explain', access: 'admin', note: 'how a described request would be judged', summary: 'How a request would be authorized, and why', query: QUERY, yes: [200, EXPLANATION], no: [422], handler: answer },
  { route: 'GET /api/access', access: 'admin', compressed: true, note: 'who sees which camera', summary: 'Accounts and API tokens with the cameras that each sees', yes: [200, ACCESS], handler: listAccess },
];

type AccessServices = Pick<
  Services,
  'store' | 'settings' | 'clock' | 'roleRegistry' | 'latestCurtain' | 'knownCameras'
>;

async function whoSees(services: AccessServices): Promise<CameraAccess> {
  const { store, settings, clock, roleRegistry, latestCurtain, knownCameras } = services;
  const cameras = knownCameras();
  const [roles, curtain] = await Promise.all([roleRegistry.active(), latestCurtain()]);
  const holders = await holdersIn({ store, auth: settings.auth, roles, curtain, now: unixSeconds(clock) });
  return { cameras, holders: holders.map((holder) => scopeView(holder, cameras)) };
}

/** It takes no token: addresses are logged on the way. */
async function answer(ctx: RouteContext, { explain }: Pick<Services, 'explain'>): Promise<void> {
  const query = new URLSearchParams(ctx.querystring);
  const explanation = await explain({
    method: query.get('method') ?? 'GET',
    path: query.get('path') ?? '',
    user: query.get('user') ?? undefined,
    camera: query.get('camera') ?? undefined,
    shows: query.get('shows') ?? undefined,
    headers: query.getAll('header'),
    peer: query.get('peer') ?? undefined,
  });
  ctx.set('Cache-Control', 'no-store');
  ctx.status = explanation.ok ? 200 : 422;
  ctx.body = explanation.ok ? explanation.value : { success: false, message: explanation.error };
}

/** A client that has the same list already gets 304: the list changes with accounts, roles, cameras and the hour, and is asked for often. */
async function listAccess(ctx: RouteContext, services: AccessServices): Promise<void> {
  const body = JSON.stringify(await whoSees(services));
  ctx.set('Cache-Control', 'private, no-cache');
  ctx.etag = createHash('sha256').update(body).digest('base64url').slice(0, ETAG_LENGTH);
  ctx.status = 200;
  ctx.type = 'application/json';
  if (ctx.fresh) ctx.status = 304;
  else ctx.body = body;
}

const ETAG_LENGTH = 22;
