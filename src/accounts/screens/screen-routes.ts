/** `/api/screens`: lists, changes and revokes screens: the caller's own, for an admin those of all users (SPEC 18). */
import { z } from 'zod';
import type { Screen, ScreenStore } from '../../domain/accounts/screen.ts';
import { type Caller, isAdministrator, withoutDrawn } from '../../domain/caller.ts';
import { bothScopes, NO_CAMERAS } from '../../domain/camera-scope.ts';
import { mayManageAccounts } from '../../domain/credentials.ts';
import { BODY_LIMITS } from '../../domain/read-body.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { BODY_NO, CAMERAS, named, SUCCESS } from '../../routes/shapes.ts';
import { SCREEN } from '../http/answers.ts';
import { GIVEN_TEXT, unknownFields } from '../http/body-fields.ts';
import { refuse, refuseFields, refuseFor, respond } from '../http/responses.ts';
import { type AccountResponseDeps, jsonOf, record } from '../http/route-guards.ts';
import { screenCameras, screenName } from './confirm-screen.ts';
import type { Screens } from './screens.ts';

export interface ScreenRouteDeps extends AccountResponseDeps {
  readonly screenStore: Pick<ScreenStore, 'findScreen' | 'listScreens' | 'changeScreen' | 'deleteScreen'>;
  readonly screens: Pick<Screens, 'makerOf'>;
  /** So that a list shows the last use. */
  readonly flushScreenUses: () => Promise<void>;
}

const CHANGE = named(
  'ScreenChange',
  z.object({
    name: GIVEN_TEXT.optional(),
    cameras: CAMERAS.nullish().meta({ description: "Names of its maker's cameras; null: all that its maker sees" }),
  }),
);

// biome-ignore format: a table
export const SCREEN_ROUTES: readonly OwnRoute<ScreenRouteDeps>[] = [
  { route: 'GET /api/screens', access: 'any', note: "the caller's own; for an admin all", summary: "One's own screens; as an admin, all", yes: [200, z.array(SCREEN)], handler: list },
  { route: 'PATCH /api/screens/{id}', access: 'any', writes: true, note: "the caller's own; for an admin any", summary: 'Give a screen another name, or other cameras', body: CHANGE, yes: [200, SCREEN], no: [...BODY_NO, 404], handler: change },
  { route: 'DELETE /api/screens/{id}', access: 'any', writes: true, note: "the caller's own; for an admin any", summary: 'Revoke a screen', yes: [200, SUCCESS], no: [404], handler: revoke },
];

const seesAll = (caller: Caller): boolean => isAdministrator(caller) && mayManageAccounts(caller);

/** A session knows the screens of its user; a token of a user knows none, but that of an admin who manages accounts all. */
const mayKnow = (caller: Caller, { user }: Screen): boolean =>
  seesAll(caller) || (caller.credential.kind === 'session' && user === caller.name);

async function list(ctx: RouteContext, { screenStore, flushScreenUses }: ScreenRouteDeps): Promise<void> {
  const { caller } = ctx.state;
  if (!caller) return refuseFor(ctx, 'no-credentials');
  await flushScreenUses();
  const screens = await screenStore.listScreens(seesAll(caller) ? undefined : caller.name);
  respond(
    ctx,
    200,
    screens.filter((screen) => mayKnow(caller, screen)).map((screen) => shownTo(caller, screen)),
  );
}

const shownTo = (caller: Caller, screen: Screen): z.output<typeof SCREEN> => ({
  id: screen.id,
  name: screen.name,
  user: screen.user,
  cameras: withoutDrawn(screen.cameras, caller),
  agent: screen.agent,
  created_at: screen.createdAt,
  ends_at: screen.endsAt,
  last_seen_at: screen.lastSeenAt,
  last_seen_from: screen.lastSeenFrom,
});

const ABSENT = 'There is no such screen';

/** The screen of another user answers 404, as an unknown one does. */
async function knownScreen(ctx: RouteContext, { screenStore }: ScreenRouteDeps): Promise<Screen | undefined> {
  const { caller } = ctx.state;
  if (!caller) return void refuseFor(ctx, 'no-credentials');
  const screen = await screenStore.findScreen({ id: ctx.params['id'] ?? '' });
  return screen && mayKnow(caller, screen) ? screen : void refuse(ctx, 404, ABSENT);
}

/** Other cameras are other rights, so the person is asked again. They must be the maker's as well as the caller's. */
async function change(ctx: RouteContext, deps: ScreenRouteDeps): Promise<void> {
  const { caller } = ctx.state;
  const screen = await knownScreen(ctx, deps);
  if (!screen || !caller) return;
  const body = await jsonOf(ctx, deps, BODY_LIMITS.cameraList);
  if (!body) return;
  const unknown = unknownFields(CHANGE, body.json);
  if (unknown.length > 0) return refuseFields(ctx, unknown);
  const given = Object(body.json);
  const isOfCameras = given.cameras !== undefined;
  if (isOfCameras && deps.asksProof(caller, 'credentials')) return refuseFor(ctx, 'reauthentication-required');
  const maker = isOfCameras ? await deps.screens.makerOf(screen) : undefined;
  const cameras = screenCameras(given.cameras, bothScopes(caller.scope, maker?.scope ?? NO_CAMERAS));
  const name = given.name === undefined ? { ok: true as const, value: undefined } : screenName(given.name);
  const act = { what: 'screen-changed', screenId: screen.id, screen: screen.name, user: screen.user } as const;
  for (const read of [name, cameras])
    if (!read.ok) {
      record(ctx, deps, act, read.error.reason);
      return refuse(ctx, read.error.status, read.error.message);
    }
  if (!name.ok || !cameras.ok) return;
  const wanted = {
    ...(name.value !== undefined && { name: name.value }),
    ...(isOfCameras && { cameras: cameras.value }),
  };
  const isEmpty = Object.keys(wanted).length === 0;
  if (!isEmpty && (await deps.screenStore.changeScreen(screen.id, wanted)) === 'absent')
    return refuse(ctx, 404, ABSENT);
  if (!isEmpty) record(ctx, deps, act);
  respond(ctx, 200, shownTo(caller, { ...screen, ...wanted }));
}

async function revoke(ctx: RouteContext, deps: ScreenRouteDeps): Promise<void> {
  const screen = await knownScreen(ctx, deps);
  if (!screen) return;
  if ((await deps.screenStore.deleteScreen(screen.id)) === 'absent') return refuse(ctx, 404, ABSENT);
  record(ctx, deps, { what: 'screen-revoked', screenId: screen.id, screen: screen.name, user: screen.user });
  respond(ctx, 200, { success: true });
}
