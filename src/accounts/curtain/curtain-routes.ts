/** `/api/curtain`: draws cameras, opens them, and tells what is drawn (SPEC 19). */

import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import type { Curtain, DrawnEntry } from '../../domain/accounts/curtain.ts';
import { mayMoveCurtain } from '../../domain/caller.ts';
import { maySee, scopeOf, visibleCameras } from '../../domain/camera-scope.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { BODY_LIMITS } from '../../domain/read-body.ts';
import type { Result } from '../../domain/result.ts';
import { BODY_NO, CAMERAS, named, TEXT, TIME } from '../../routes/shapes.ts';
import { MAYBE_TIME } from '../http/answers.ts';
import { NO_CAMERA_LIST } from '../http/json-body.ts';
import { type Call, declaring, Refused, refusedFields, refusedFor } from '../http/kernel.ts';
import { type CurtainRefusal, drawnNow, entriesToDraw, entriesToOpen } from './move-curtain.ts';

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

type CurtainServices = Pick<Services, 'store' | 'latestCurtain' | 'clock' | 'knownCameras'>;

const route = declaring<Services>();
const MOVE = {
  access: 'any',
  curtain: true,
  writes: true,
  note: 'admins, and API tokens for the curtain',
  reads: 'names',
  bytes: BODY_LIMITS.cameraList,
  before: forMovers,
} as const;

// biome-ignore format: a table
export const CURTAIN_ROUTES = [
  route({ route: 'GET /api/curtain', access: 'any', curtain: true, note: 'without what is drawn for the caller', summary: 'What is drawn now', yes: [200, CURTAIN], run: list }),
  route({ route: 'PUT /api/curtain', ...MOVE, summary: 'Draw the curtain in front of cameras', body: DRAW, yes: [200, MOVED], no: BODY_NO, run: draw }),
  route({ route: 'DELETE /api/curtain', ...MOVE, summary: 'Open it', body: OPEN, yes: [200, MOVED], no: [...BODY_NO, 409], run: open }),
];

function forMovers({ caller }: Call): void {
  if (!mayMoveCurtain(caller)) throw refusedFor('role-too-low');
}

type Asked = Readonly<Record<string, unknown>>;

async function draw({ body, caller, record }: Call<Asked>, deps: CurtainServices): Promise<object> {
  const now = unixSeconds(deps.clock);
  const wanted = { ...body, cameras: camerasOf(body) };
  const entries = orRefusal(entriesToDraw(wanted, { drawn: await drawnAt(now, deps), now, by: caller.name }));
  await deps.store.curtain.changeCurtain({ drawn: entries, opened: [] });
  const cameras = entries.map(({ camera }) => camera);
  for (const camera of cameras) record({ what: 'curtain-drawn', camera });
  return { success: true, ...(await drawnFor(deps)), ...warningsOf(cameras, deps) };
}

async function open({ body, record }: Call<Asked>, deps: CurtainServices): Promise<object> {
  const drawn = await drawnAt(unixSeconds(deps.clock), deps);
  const opened = orRefusal(entriesToOpen(camerasOf(body), { drawn }));
  if (opened.length > 0) await deps.store.curtain.changeCurtain({ drawn: [], opened });
  for (const camera of opened) record({ what: 'curtain-opened', camera });
  return { success: true, ...(await drawnFor(deps)) };
}

function camerasOf({ cameras }: Asked): readonly unknown[] {
  if (!Array.isArray(cameras)) throw refusedFields([NO_CAMERA_LIST]);
  return cameras;
}

function orRefusal<Value>(outcome: Result<Value, CurtainRefusal>): Value {
  if (outcome.ok) return outcome.value;
  throw new Refused(outcome.error.status, outcome.error.message);
}

const drawnAt = async (now: number, { latestCurtain }: Pick<Services, 'latestCurtain'>): Promise<Curtain> =>
  drawnNow(await latestCurtain(), now);

async function drawnFor(deps: Pick<Services, 'latestCurtain' | 'clock'>) {
  return { drawn: (await drawnAt(unixSeconds(deps.clock), deps)).map(shown) };
}

const shown = ({ camera, until, by, drawnAt }: DrawnEntry): z.output<typeof DRAWN> => ({
  camera,
  until: until ?? null,
  by,
  drawn_at: drawnAt,
});

/** A camera may be added later; more often its name is mistyped. */
function warningsOf(
  entries: readonly string[],
  { knownCameras }: Pick<Services, 'knownCameras'>,
): { readonly warnings?: string[] } {
  const known = knownCameras();
  const strange =
    known.length > 0 ? entries.filter((entry) => visibleCameras(scopeOf([entry]), known).length === 0) : [];
  const warnings = strange.map(
    (entry) => `This NVR has no camera ${entry} now: it is remembered, for when there is one`,
  );
  return warnings.length > 0 ? { warnings } : {};
}

/** Others are told only of cameras that they see, each by its name: a pattern could tell of another. */
async function list({ caller }: Call, deps: CurtainServices): Promise<z.output<typeof CURTAIN>> {
  const { drawn } = await drawnFor(deps);
  const seen = deps.knownCameras().filter((camera) => maySee(caller.scope, camera));
  const told = drawn.flatMap((entry) =>
    visibleCameras(scopeOf([entry.camera]), seen).map((camera) => ({ ...entry, camera })),
  );
  return { drawn: mayMoveCurtain(caller) ? drawn : told };
}
