/** `/api/curtain` draws cameras, opens them, and tells what is drawn (SPEC 19). */
import { z } from 'zod';
import { MAYBE_TIME } from '../../accounts/http/answers.ts';
import { cameraEntriesIn, NO_CAMERA_LIST, shown } from '../../accounts/http/json-body.ts';
import { type Call, declaring, Refused, refusedFields } from '../../accounts/http/kernel.ts';
import type { Services } from '../../app/services.ts';
import type { MaybePromise } from '../../domain/async.ts';
import { isAdministrator } from '../../domain/caller.ts';
import { maySee, toScope, visibleCameras, wildcardsFault } from '../../domain/camera-scope.ts';
import { unixSeconds } from '../../domain/clock.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { BODY_LIMITS } from '../../routes/read-body.ts';
import { answer, BODY_NO, CAMERAS, described, TEXT, TIME } from '../../routes/shapes.ts';
import { type Curtain, type CurtainStore, type DrawnEntry, isDrawn } from './curtain.ts';

const DRAWN = described('DrawnCamera', {
  camera: TEXT.meta({ description: 'A camera, or a pattern of cameras' }),
  until: MAYBE_TIME.meta({ description: 'Unix seconds; null: until it is opened' }),
  by: TEXT.meta({ description: 'Who drew it' }),
  drawn_at: TIME,
});
const CURTAIN = described('Curtain', { drawn: z.array(DRAWN) });
const MOVED = described('MovedCurtain', {
  success: z.literal(true),
  drawn: z.array(DRAWN),
  warnings: z.array(TEXT).optional(),
});
const DRAW = described('DrawCurtain', {
  cameras: CAMERAS.min(1).meta({ description: 'Names; "*" stands for any text' }),
  until: TIME.nullish().meta({ description: 'null: until it is opened' }),
});
const OPEN = described('OpenCurtain', { cameras: CAMERAS.min(1) });

/** `latest`: the curtain as it is now; `kept`: the store. */
type CurtainServices = Pick<Services, 'clock' | 'knownCameras'> & {
  readonly latest: () => MaybePromise<Curtain>;
  readonly kept: Pick<CurtainStore, 'changeCurtain'>;
};

const route = declaring<Services & CurtainServices>();
/** API tokens that were made for it may as well. */
const MOVE = { access: 'admin', right: 'curtain', reads: 'names', bytes: BODY_LIMITS.cameraList } as const;

// biome-ignore format: a table
export const CURTAIN_ROUTES = [
  route({ route: 'GET /api/curtain', access: 'any', right: 'curtain', note: 'without what is drawn for the caller', summary: 'What is drawn now', yes: [200, CURTAIN], run: list }),
  route({ route: 'PUT /api/curtain', ...MOVE, summary: 'Draw the curtain in front of cameras', body: DRAW, yes: [200, MOVED], no: BODY_NO, run: draw }),
  route({ route: 'DELETE /api/curtain', ...MOVE, summary: 'Open it', body: OPEN, yes: [200, MOVED], no: [...BODY_NO, 409], run: open }),
];

async function draw({ body, caller, record }: Call<JsonRecord>, deps: CurtainServices): Promise<object> {
  const now = unixSeconds(deps.clock);
  const cameras = camerasIn(body);
  const end = untilIn(body['until'] ?? null, now);
  const all = new Set([...(await drawnNow(deps)).map(({ camera }) => camera), ...cameras]);
  const fault = wildcardsFault([...all]);
  if (fault !== undefined) throw unfitCameras(`the curtain ${fault}`);
  if (all.size > MOST_DRAWN)
    throw unfitCameras(`${all.size} entries would be drawn, and ${MOST_DRAWN} are the most: use "*" in names`);
  const entries = cameras.map((camera) => ({ camera, ...end, by: caller.name, drawnAt: now }));
  await deps.kept.changeCurtain({ drawn: entries, opened: [] });
  for (const camera of cameras) record({ what: 'curtain-drawn', camera });
  return { success: true, ...(await drawnFor(deps)), ...listWarnings(cameras, deps.knownCameras()) };
}

async function open({ body, record }: Call<JsonRecord>, deps: CurtainServices): Promise<object> {
  const opened = entriesToOpen(camerasIn(body), await drawnNow(deps));
  if (opened.length > 0) await deps.kept.changeCurtain({ drawn: [], opened });
  for (const camera of opened) record({ what: 'curtain-opened', camera });
  return { success: true, ...(await drawnFor(deps)) };
}

const drawnNow = async ({ latest, clock }: CurtainServices): Promise<Curtain> =>
  (await latest()).filter((entry) => isDrawn(entry, unixSeconds(clock)));

const drawnFor = async (deps: CurtainServices) => ({
  drawn: (await drawnNow(deps)).map((entry) => answer(DRAWN, { ...entry, until: entry.until ?? null })),
});

/** A camera may be added later; more often its name is mistyped. */
function listWarnings(entries: readonly string[], known: ReturnType<Services['knownCameras']>) {
  const strange = entries.filter((entry) => known.length > 0 && visibleCameras(toScope([entry]), known).length === 0);
  if (strange.length === 0) return {};
  return {
    warnings: strange.map((one) => `This NVR has no camera ${one} now: it is remembered, for when there is one`),
  };
}

/** Others are told only of cameras that they see, each by its name: a pattern could tell of another. */
async function list({ caller }: Call, deps: CurtainServices): Promise<z.output<typeof CURTAIN>> {
  const { drawn } = await drawnFor(deps);
  const seen = deps.knownCameras().filter((camera) => maySee(caller.scope, camera));
  const told = drawn.flatMap((entry) =>
    visibleCameras(toScope([entry.camera]), seen).map((camera) => ({ ...entry, camera })),
  );
  return { drawn: isAdministrator(caller) || caller.right !== undefined ? drawn : told };
}

/** Drawn entries, all patterns together. */
const MOST_DRAWN = 200;

const unfitCameras = (why: string): Refused => new Refused(400, 'cameras-invalid', `cameras: ${why}`);

/** The texts of the entries to open: drawn ones alone. Refuses where a camera would stay drawn by a pattern. */
function entriesToOpen(cameras: readonly string[], drawn: Curtain): readonly string[] {
  for (const camera of cameras.filter((entry) => !entry.includes('*'))) {
    const pattern = drawn.find((entry) => !cameras.includes(entry.camera) && maySee(toScope([entry.camera]), camera));
    if (pattern)
      throw new Refused(
        409,
        ['curtain-pattern', { camera, pattern: pattern.camera }],
        `cameras: ${camera} is drawn by the pattern ${pattern.camera}: open that, and draw the cameras that shall stay so`,
      );
  }
  return cameras.filter((camera) => drawn.some((entry) => entry.camera === camera));
}

function camerasIn({ cameras: wanted }: JsonRecord): readonly string[] {
  if (!Array.isArray(wanted)) throw refusedFields([NO_CAMERA_LIST]);
  if (wanted.length === 0 || wanted.length > MOST_DRAWN) throw unfitCameras(`give a list of 1 to ${MOST_DRAWN} names`);
  const cameras = cameraEntriesIn(wanted);
  if (!cameras.ok) throw unfitCameras(cameras.error);
  return cameras.value;
}

function untilIn(wanted: unknown, now: number): Pick<DrawnEntry, 'until'> {
  const unfit = (why: string): Refused =>
    new Refused(400, 'end-invalid', `until: ${shown(wanted)} ${why}, or null for no end`);
  if (wanted === null) return {};
  if (!Number.isSafeInteger(wanted)) throw unfit('is no time: give whole Unix seconds');
  const until = Number(wanted);
  if (until <= now) throw unfit('has passed already: give a later time');
  return { until };
}
