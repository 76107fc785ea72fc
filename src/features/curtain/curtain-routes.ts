/** `/api/curtain` draws cameras, opens them, and tells what is drawn (SPEC 19). */
import { z } from 'zod';
import { MAYBE_TIME } from '../../accounts/http/answers.ts';
import { cameraEntriesIn, NO_CAMERA_LIST, shown } from '../../accounts/http/json-body.ts';
import { type Call, declaring, Refused, refusedFields, refusedFor } from '../../accounts/http/kernel.ts';
import type { Services } from '../../app/services.ts';
import type { MaybePromise } from '../../domain/async.ts';
import { mayMoveCurtain } from '../../domain/caller.ts';
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

/** The curtain as it is now, and as it is kept. */
interface OpenCurtain {
  readonly latest: () => MaybePromise<Curtain>;
  readonly kept: Pick<CurtainStore, 'changeCurtain'>;
}
type CurtainServices = OpenCurtain & Pick<Services, 'clock' | 'knownCameras'>;

const route = declaring<Services & OpenCurtain>();
const MOVE = {
  access: 'any',
  curtain: true,
  writes: true,
  note: 'admins, and API tokens for the curtain',
  reads: 'names',
  bytes: BODY_LIMITS.cameraList,
  before: ({ caller }: Call): void => {
    if (!mayMoveCurtain(caller)) throw refusedFor('role-too-low');
  },
} as const;

// biome-ignore format: a table
export const CURTAIN_ROUTES = [
  route({ route: 'GET /api/curtain', access: 'any', curtain: true, note: 'without what is drawn for the caller', summary: 'What is drawn now', yes: [200, CURTAIN], run: list }),
  route({ route: 'PUT /api/curtain', ...MOVE, summary: 'Draw the curtain in front of cameras', body: DRAW, yes: [200, MOVED], no: BODY_NO, run: draw }),
  route({ route: 'DELETE /api/curtain', ...MOVE, summary: 'Open it', body: OPEN, yes: [200, MOVED], no: [...BODY_NO, 409], run: open }),
];

async function draw({ body, caller, record }: Call<JsonRecord>, deps: CurtainServices): Promise<object> {
  const now = unixSeconds(deps.clock);
  const cameras = camerasIn(body);
  const end = untilIn(body['until'] ?? null, now);
  refuseTooMany(new Set([...(await drawnNow(deps)).map(({ camera }) => camera), ...cameras]));
  const entries = cameras.map((camera) => ({ camera, ...end, by: caller.name, drawnAt: now }));
  await deps.kept.changeCurtain({ drawn: entries, opened: [] });
  for (const camera of cameras) record({ what: 'curtain-drawn', camera });
  return { success: true, ...(await drawnFor(deps)), ...listWarnings(cameras, deps) };
}

async function open({ body, record }: Call<JsonRecord>, deps: CurtainServices): Promise<object> {
  const opened = entriesToOpen(camerasIn(body), await drawnNow(deps));
  if (opened.length > 0) await deps.kept.changeCurtain({ drawn: [], opened });
  for (const camera of opened) record({ what: 'curtain-opened', camera });
  return { success: true, ...(await drawnFor(deps)) };
}

const drawnNow = async ({ latest, clock }: CurtainServices): Promise<Curtain> =>
  (await latest()).filter((entry) => isDrawn(entry, unixSeconds(clock)));

const drawnFor = async (deps: CurtainServices) => ({ drawn: (await drawnNow(deps)).map(listed) });

const listed = (entry: DrawnEntry) => answer(DRAWN, { ...entry, until: entry.until ?? null });

/** A camera may be added later; more often its name is mistyped. */
function listWarnings(
  entries: readonly string[],
  { knownCameras }: Pick<Services, 'knownCameras'>,
): { readonly warnings?: string[] } {
  const known = knownCameras();
  const strange =
    known.length > 0 ? entries.filter((entry) => visibleCameras(toScope([entry]), known).length === 0) : [];
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
    visibleCameras(toScope([entry.camera]), seen).map((camera) => ({ ...entry, camera })),
  );
  return { drawn: mayMoveCurtain(caller) ? drawn : told };
}

/** Drawn entries, all patterns together. */
const MOST_DRAWN = 200;

/** `all`: the texts that are drawn, and those that would be, which take the place of the same ones. */
function refuseTooMany(all: ReadonlySet<string>): void {
  const fault = wildcardsFault([...all]);
  if (fault !== undefined) throw new Refused(400, 'cameras-invalid', `cameras: the curtain ${fault}`);
  if (all.size > MOST_DRAWN)
    throw new Refused(
      400,
      'cameras-invalid',
      `cameras: ${all.size} entries would be drawn, and ${MOST_DRAWN} are the most: use "*" in names`,
    );
}

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
  if (wanted.length === 0 || wanted.length > MOST_DRAWN)
    throw new Refused(400, 'cameras-invalid', `cameras: give a list of 1 to ${MOST_DRAWN} names`);
  const cameras = cameraEntriesIn(wanted);
  if (!cameras.ok) throw new Refused(400, 'cameras-invalid', `cameras: ${cameras.error}`);
  return cameras.value;
}

function untilIn(wanted: unknown, now: number): Pick<DrawnEntry, 'until'> {
  if (wanted === null) return {};
  if (typeof wanted !== 'number' || !Number.isSafeInteger(wanted))
    throw new Refused(
      400,
      'end-invalid',
      `until: ${shown(wanted)} is no time: give whole Unix seconds, or null for no end`,
    );
  if (wanted <= now)
    throw new Refused(400, 'end-invalid', `until: ${wanted} has passed already: give a later time, or null for no end`);
  return { until: wanted };
}
