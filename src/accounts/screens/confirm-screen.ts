/** What a person gives a screen: a name, cameras of the own, an end (SPEC 18). */
import type { Screen, ScreenStore } from '../../domain/accounts/screen.ts';
import type { Caller } from '../../domain/caller.ts';
import { type CameraScope, maySee, parseCameraEntry } from '../../domain/camera-scope.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { LONGEST_PLAIN_NAME, plainName } from '../../domain/text/plain-name.ts';
import { newGrantId } from '../grants/grants.ts';
import { shown } from '../http/body-fields.ts';

export interface ScreenRefusal {
  readonly status: 400 | 403 | 404 | 409;
  readonly reason: string;
  readonly message: string;
}

const MOST_CAMERAS = 200;
/** The most screens of one user. */
const MOST_SCREENS = 100;

const refused = (status: ScreenRefusal['status'], reason: string, message: string) => err({ status, reason, message });

export function screenName(given: unknown): Result<string, ScreenRefusal> {
  const name = plainName(given);
  return name === undefined
    ? refused(400, 'name-invalid', `name: a screen needs one of 1 to ${LONGEST_PLAIN_NAME} characters`)
    : ok(name);
}

/** Names of cameras that `scope` holds; null: all that its maker sees. A pattern could match a camera of others. */
export function screenCameras(wanted: unknown, scope: CameraScope): Result<readonly string[] | null, ScreenRefusal> {
  if (wanted === undefined || wanted === null) return ok(null);
  if (!Array.isArray(wanted) || wanted.length === 0 || wanted.length > MOST_CAMERAS)
    return refused(400, 'cameras-invalid', `cameras: give a list of 1 to ${MOST_CAMERAS} names, or none for all`);
  for (const name of wanted) {
    const isName = typeof name === 'string' && parseCameraEntry(name).ok && !name.includes('*');
    if (!isName)
      return refused(
        400,
        'cameras-invalid',
        `cameras: ${shown(name).slice(0, LONGEST_PLAIN_NAME)} is not the name of a camera`,
      );
    if (!maySee(scope, name)) return refused(403, 'camera-foreign', `cameras: Access denied to the camera ${name}`);
  }
  return ok([...new Set(wanted as string[])]);
}

function endOf(wanted: unknown, now: number): Result<number | null, ScreenRefusal> {
  if (wanted === undefined || wanted === null) return ok(null);
  if (!Number.isSafeInteger(wanted)) return refused(400, 'end-invalid', 'ends_at: give whole Unix seconds');
  return Number(wanted) > now
    ? ok(Number(wanted))
    : refused(400, 'end-invalid', 'ends_at: that time has passed already');
}

export interface ConfirmDeps {
  readonly screenStore: Pick<ScreenStore, 'confirmCode' | 'findCode'>;
  readonly clock: Clock;
}

const OVER = 'No display waits with this code: look at the display, it may show another one by now';

/** `fields` is the body of the request; `createdAt` is of the caller's account. */
export async function confirmScreen(
  fields: Readonly<Record<string, unknown>>,
  { userHash, caller, createdAt }: { readonly userHash: string; readonly caller: Caller; readonly createdAt: number },
  { screenStore, clock }: ConfirmDeps,
): Promise<Result<Screen, ScreenRefusal>> {
  const now = unixSeconds(clock);
  const name = screenName(fields['name']);
  if (!name.ok) return name;
  const cameras = screenCameras(fields['cameras'], caller.scope);
  if (!cameras.ok) return cameras;
  const endsAt = endOf(fields['ends_at'], now);
  if (!endsAt.ok) return endsAt;
  const code = await screenStore.findCode({ userHash });
  const screen: Screen = {
    id: newGrantId(),
    secretHash: null,
    name: name.value,
    user: caller.name,
    userCreatedAt: createdAt,
    cameras: cameras.value,
    createdAt: now,
    endsAt: endsAt.value,
    lastSeenAt: null,
    lastSeenFrom: null,
    agent: code?.agent ?? null,
  };
  switch (await screenStore.confirmCode(userHash, screen, MOST_SCREENS)) {
    case 'confirmed':
      return ok(screen);
    case 'gone':
      return refused(404, 'code-unknown', OVER);
    case 'absent':
      return refused(403, 'maker-gone', 'The account does not exist any more');
    case 'too-many':
      return refused(409, 'too-many', `${caller.name} has ${MOST_SCREENS} screens already: revoke some`);
  }
}

export const codeOver = (): ScreenRefusal => ({ status: 404, reason: 'code-unknown', message: OVER });
