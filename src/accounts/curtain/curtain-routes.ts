/** `/api/curtain`: draws cameras, opens them, and tells what is drawn (SPEC 19). */
import { z } from 'zod';
import type { Curtain, CurtainStore, DrawnEntry } from '../../domain/accounts/curtain.ts';
import type { MaybePromise } from '../../domain/async/maybe-promise.ts';
import { mayMoveCurtain } from '../../domain/caller.ts';
import { maySee, scopeOf, visibleCameras } from '../../domain/camera-scope.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import type { CameraName } from '../../domain/names.ts';
import { BODY_LIMITS } from '../../domain/read-body.ts';
import type { OwnRoute, RouteContext, RouteHandler } from '../../routes/own-route.ts';
import { BODY_NO, CAMERAS, named, TEXT, TIME } from '../../routes/shapes.ts';
import { MAYBE_TIME } from '../http/answers.ts';
import { unknownFields } from '../http/body-fields.ts';
import { refuse, refuseFields, refuseFor, respond } from '../http/responses.ts';
import { type AccountResponseDeps, jsonOf, record } from '../http/route-guards.ts';
import { type CurtainFacts, drawnNow, entriesToDraw, entriesToOpen } from './move-curtain.ts';

export interface CurtainRouteDeps extends AccountResponseDeps {
  readonly curtainStore: Pick<CurtainStore, 'changeCurtain'>;
  readonly latestCurtain: () => MaybePromise<Curtain>;
  readonly clock: Clock;
  /** None while they are not known yet. */
  readonly knownCameras: () => readonly CameraName[];
}

const DRAWN = named(
  'DrawnCamera',
  z.object({
    camera: TEXT.meta({ description: 'A camera, or a pattern of cameras' }),
    until: MAYBE_TIME.meta({ description: 'Unix seconds; null: until it is opened' }),
    by: TEXT.meta({ description: 'Who drew it' }),
    drawn_at: TIME,
  }),
);
const CURTAIN = named('Curtain', z.object({ drawn: z.array(DRAWN) }));
const MOVED = named(
  'MovedCurtain',
  z.object({ success: z.literal(true), drawn: z.array(DRAWN), warnings: z.array(TEXT).optional() }),
);
const DRAW = named(
  'DrawCurtain',
  z.object({
    cameras: CAMERAS.min(1).meta({ description: 'Names; "*" stands for any text' }),
    until: TIME.nullish().meta({ description: 'null: until it is opened' }),
  }),
);
const OPEN = named('OpenCurtain', z.object({ cameras: CAMERAS.min(1) }));

// biome-ignore format: a table
export const CURTAIN_ROUTES: readonly OwnRoute<CurtainRouteDeps>[] = [
  { route: 'GET /api/curtain', access: 'any', curtain: true, note: 'without what is drawn for the caller', summary: 'What is drawn now', yes: [200, CURTAIN], handler: list },
  { route: 'PUT /api/curtain', access: 'any', curtain: true, writes: true, note: 'admins, and API tokens for the curtain', summary: 'Draw the curtain in front of cameras', body: DRAW, yes: [200, MOVED], no: BODY_NO, handler: forMovers(draw) },
  { route: 'DELETE /api/curtain', access: 'any', curtain: true, writes: true, note: 'admins, and API tokens for the curtain', summary: 'Open it', body: OPEN, yes: [200, MOVED], no: [...BODY_NO, 409], handler: forMovers(open) },
];

function forMovers(handler: RouteHandler<CurtainRouteDeps>): RouteHandler<CurtainRouteDeps> {
  return (ctx, deps, next) => {
    const { caller } = ctx.state;
    if (!caller) return refuseFor(ctx, 'no-credentials');
    return mayMoveCurtain(caller) ? handler(ctx, deps, next) : refuseFor(ctx, 'role-too-low');
  };
}

async function draw(ctx: RouteContext, deps: CurtainRouteDeps): Promise<void> {
  const body = await camerasOf(ctx, deps, DRAW);
  if (!body) return;
  const entries = entriesToDraw({ ...body.fields, cameras: body.cameras }, await factsFor(ctx, deps));
  if (!entries.ok) return refuse(ctx, entries.error.status, entries.error.message);
  await deps.curtainStore.changeCurtain({ drawn: entries.value, opened: [] });
  for (const { camera } of entries.value) record(ctx, deps, { what: 'curtain-drawn', camera });
  const cameras = entries.value.map(({ camera }) => camera);
  respond(ctx, 200, { success: true, ...(await drawnFor(deps)), ...warningsOf(cameras, deps) });
}

async function open(ctx: RouteContext, deps: CurtainRouteDeps): Promise<void> {
  const body = await camerasOf(ctx, deps, OPEN);
  if (!body) return;
  const opened = entriesToOpen(body.cameras, await factsFor(ctx, deps));
  if (!opened.ok) return refuse(ctx, opened.error.status, opened.error.message);
  if (opened.value.length > 0) await deps.curtainStore.changeCurtain({ drawn: [], opened: opened.value });
  for (const camera of opened.value) record(ctx, deps, { what: 'curtain-opened', camera });
  respond(ctx, 200, { success: true, ...(await drawnFor(deps)) });
}

async function camerasOf(ctx: RouteContext, deps: CurtainRouteDeps, shape: typeof DRAW | typeof OPEN) {
  const body = await jsonOf(ctx, deps, BODY_LIMITS.cameraList);
  if (!body) return undefined;
  const unknown = unknownFields(shape, body.json);
  if (unknown.length > 0) return void refuseFields(ctx, unknown);
  const { cameras, ...fields } = Object(body.json);
  return Array.isArray(cameras) ? { cameras, fields } : void refuseFields(ctx, [NO_LIST]);
}

const NO_LIST = { loc: ['body', 'cameras'], msg: 'Input should be a list of camera names', type: 'list_type' };

async function factsFor(
  { state: { caller } }: RouteContext,
  { latestCurtain, clock }: CurtainRouteDeps,
): Promise<CurtainFacts> {
  const now = unixSeconds(clock);
  return { drawn: drawnNow(await latestCurtain(), now), now, by: caller?.name ?? '' };
}

async function drawnFor({ latestCurtain, clock }: CurtainRouteDeps) {
  return { drawn: drawnNow(await latestCurtain(), unixSeconds(clock)).map(shown) };
}

const shown = ({ camera, until, by, drawnAt }: DrawnEntry): z.output<typeof DRAWN> => ({
  camera,
  until: until ?? null,
  by,
  drawn_at: drawnAt,
});

/** A camera may be added later; more often its name is mistyped. */
function warningsOf(entries: readonly string[], { knownCameras }: CurtainRouteDeps): { readonly warnings?: string[] } {
  const known = knownCameras();
  const strange =
    known.length > 0 ? entries.filter((entry) => visibleCameras(scopeOf([entry]), known).length === 0) : [];
  const warnings = strange.map(
    (entry) => `This NVR has no camera ${entry} now: it is remembered, for when there is one`,
  );
  return warnings.length > 0 ? { warnings } : {};
}

/** Others are told only of cameras that they see, each by its name: a pattern could tell of another. */
async function list(ctx: RouteContext, deps: CurtainRouteDeps): Promise<void> {
  const { caller } = ctx.state;
  if (!caller) return refuseFor(ctx, 'no-credentials');
  const { drawn } = await drawnFor(deps);
  const seen = deps.knownCameras().filter((camera) => maySee(caller.scope, camera));
  const told = drawn.flatMap((entry) =>
    visibleCameras(scopeOf([entry.camera]), seen).map((camera) => ({ ...entry, camera })),
  );
  respond(ctx, 200, { drawn: mayMoveCurtain(caller) ? drawn : told } satisfies z.output<typeof CURTAIN>);
}
