/** `GET /api/explain`, the trace of a described request, and `GET /api/access`, who sees which camera: for admins (SPEC 1, 15). */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { scopeView } from '../../access/camera-view.ts';
import { type Call, declaring, Refused } from '../../accounts/http/kernel.ts';
import { holdersIn } from '../../accounts/tokens/api-tokens.ts';
import type { Services } from '../../app/services.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { VERBS } from '../../domain/policy.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { CAMERAS, described, named, TEXT } from '../../routes/shapes.ts';

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

export const ACCESS = described('CameraAccess', {
  cameras: CAMERAS,
  holders: z.array(
    z.object({
      kind: z.enum(['user', 'token']),
      name: TEXT,
      owner: TEXT.optional().meta({ description: 'A token: whose' }),
      role: TEXT,
      mustEnrol: z.literal(true).optional().meta({ description: 'A second factor must be set up first' }),
      cameras: z.union([z.literal('all'), CAMERAS]),
      drawn: CAMERAS.optional().meta({ description: 'Taken away from the caller' }),
      denied: z.array(z.enum(VERBS)),
      closed: TEXT.optional().meta({
        description: 'Why nothing is seen now: account-ended, account-not-begun, role-missing, outside-hours',
      }),
    }),
  ),
});

const route = declaring<Services>();

// biome-ignore format: a table
export const EXPLAIN_ROUTES: readonly OwnRoute<Services>[] = [
  route({ route: 'GET /api/explain', access: 'admin', who: 'admin', note: 'how a described request would be judged', summary: 'How a request would be authorized, and why', query: QUERY, yes: [200, EXPLANATION], no: [422], run: explained }),
  { route: 'GET /api/access', access: 'admin', compressed: true, note: 'who sees which camera', summary: 'Accounts and API tokens with the cameras that each sees', yes: [200, ACCESS], handler: listAccess },
];

type AccessServices = Pick<Services, 'store' | 'settings' | 'clock' | 'roleRegistry' | 'subtract' | 'knownCameras'>;

/** A request tells no token: addresses are logged on the way. */
async function explained({ ctx, query }: Call, { explain }: Pick<Services, 'explain'>): Promise<object> {
  const given = (name: string): string | undefined => query.get(name) ?? undefined;
  const explanation = await explain({
    method: given('method') ?? 'GET',
    path: given('path') ?? '',
    user: given('user'),
    token: ctx ? undefined : given('token'),
    camera: given('camera'),
    shows: given('shows'),
    headers: query.getAll('header'),
    peer: given('peer'),
  });
  if (!explanation.ok) throw new Refused(422, 'description-invalid', explanation.error);
  return explanation.value;
}

/** A client that has the same list already gets 304: the list changes with accounts, roles, cameras and the hour, and is asked for often. */
async function listAccess(ctx: RouteContext, services: AccessServices): Promise<void> {
  const { store, settings, clock, roleRegistry, subtract, knownCameras } = services;
  const cameras = knownCameras();
  const roles = await roleRegistry.active();
  const holders = await holdersIn({ store, auth: settings.auth, roles, subtract, now: unixSeconds(clock) });
  const body = JSON.stringify({ cameras, holders: holders.map((holder) => scopeView(holder, cameras)) });
  ctx.set('Cache-Control', 'private, no-cache');
  ctx.etag = createHash('sha256').update(body).digest('base64url').slice(0, ETAG_LENGTH);
  ctx.status = 200;
  ctx.type = 'application/json';
  if (ctx.fresh) ctx.status = 304;
  else ctx.body = body;
}

const ETAG_LENGTH = 22;
