/** `/api/screens`: lists, changes and revokes screens: the caller's own, for an admin those of all users; what a person gives a screen; and the page that a display opens (SPEC 18). */
import { z } from 'zod';
import { absentGrant, knownGrant, knownGrants, revokeGrant } from '../../accounts/grants/grants.ts';
import { MAYBE_TEXT, MAYBE_TIME, PROFILE } from '../../accounts/http/answers.ts';
import { GIVEN_TEXT, shown } from '../../accounts/http/json-body.ts';
import { type Call, declaring, Refused, unfit } from '../../accounts/http/kernel.ts';
import type { Services } from '../../app/services.ts';
import { type Caller, withoutDrawn } from '../../domain/caller.ts';
import { bothScopes, type CameraScope, maySee, NO_CAMERAS, parseCameraEntry } from '../../domain/camera-scope.ts';
import { LONGEST_PLAIN_NAME, plainName } from '../../domain/text.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { BODY_LIMITS } from '../../routes/read-body.ts';
import { answer, BODY_NO, CAMERAS, described, named, SUCCESS, TEXT, TIME } from '../../routes/shapes.ts';
import { assetPath } from '../../ui/built-pages.ts';
import { asTemplates, html, lonePage, stylesheetLink } from '../../ui/html.ts';
import { moveTo, pageHeaders, pageLanguage, readBasePath, refuseUnbuilt, sendPage } from '../../ui/page.ts';
import type { ScreenFacts } from './page/screen-facts.ts';
import type { ScreenServices } from './screens.ts';
import type { Screen } from './tables.ts';

export const SCREEN = described('Screen', {
  id: TEXT,
  name: TEXT,
  user: TEXT.meta({ description: 'Who confirmed it' }),
  cameras: CAMERAS.nullable().meta({ description: 'null: all that this user sees' }),
  agent: MAYBE_TEXT.meta({ description: 'The browser with which it was paired' }),
  created_at: TIME,
  ends_at: MAYBE_TIME,
  last_seen_at: MAYBE_TIME,
  last_seen_from: MAYBE_TEXT,
});
const IN_PROFILE = z.object({ name: TEXT, ends_at: MAYBE_TIME }).optional();
const MEANING = { description: 'The caller is a screen, which shows the cameras of this user' };
named('Profile', PROFILE.extend({ screen: IN_PROFILE.meta(MEANING) }));
const CHANGE = described('ScreenChange', {
  name: GIVEN_TEXT.optional(),
  cameras: CAMERAS.nullish().meta({ description: "Names of its maker's cameras; null: all that its maker sees" }),
});

const route = declaring<ScreenServices>();

// biome-ignore format: a table
export const SCREEN_ROUTES = [
  route({ route: 'GET /api/screens', access: 'any', note: "the caller's own; for an admin all", summary: "One's own screens; as an admin, all", yes: [200, z.array(SCREEN)], run: list }),
  route({ route: 'PATCH /api/screens/{id}', access: 'any', writes: true, note: "the caller's own; for an admin any", summary: 'Give a screen another name, or other cameras', body: CHANGE, reads: 'names', bytes: BODY_LIMITS.cameraList, yes: [200, SCREEN], no: [...BODY_NO, 404],
    before: (call, services) => knownGrant('screen', call, services), run: change }),
  route({ route: 'DELETE /api/screens/{id}', access: 'any', writes: true, note: "the caller's own; for an admin any", summary: 'Revoke a screen', yes: [200, SUCCESS], no: [404], act: 'screen-revoked', run: revoke }),
];

async function list({ caller }: Call, services: ScreenServices): Promise<object> {
  const screens = await knownGrants('screen', caller, services);
  return screens.map((screen) => shownTo(caller, screen));
}

const shownTo = (caller: Caller, screen: Screen): z.output<typeof SCREEN> =>
  answer(SCREEN, {
    ...screen,
    cameras: withoutDrawn(screen.cameras, caller),
    endsAt: screen.expiresAt,
    lastSeenAt: screen.lastUsedAt,
    lastSeenFrom: screen.lastUsedFrom,
  });

/** Other cameras are other rights, so the person is asked again. They must be the maker's as well as the caller's. */
async function change(call: Call<Readonly<Record<string, unknown>>>, services: ScreenServices): Promise<object> {
  const { caller, body, prove, record } = call;
  const screen = await knownGrant('screen', call, services);
  const isOfCameras = body['cameras'] !== undefined;
  if (isOfCameras) prove('credentials');
  const maker = isOfCameras ? await services.screens.makerOf(screen) : undefined;
  const act = { what: 'screen-changed', screenId: screen.id, screen: screen.name, user: screen.user } as const;
  try {
    const wanted = {
      ...(body['name'] !== undefined && { name: screenName(body['name']) }),
      ...(isOfCameras && {
        cameras: screenCameras(body['cameras'], bothScopes(caller.scope, maker?.scope ?? NO_CAMERAS)),
      }),
    };
    if (Object.keys(wanted).length === 0) return shownTo(caller, screen);
    if (!(await services.codes.changeScreen(screen.id, wanted))) throw absentGrant('screen');
    record(act);
    return shownTo(caller, { ...screen, ...wanted });
  } catch (fault) {
    if (fault instanceof Refused && fault.recorded) record(act, fault.recorded);
    throw fault;
  }
}

async function revoke(call: Call, services: ScreenServices): Promise<void> {
  const { id, name, user } = await revokeGrant('screen', call, services);
  call.note({ screenId: id, screen: name, user });
}

const MOST_CAMERAS = 200;

export function screenName(given: unknown): string {
  const name = plainName(given);
  if (name === undefined)
    throw unfit('name-invalid', `name: a screen needs one of 1 to ${LONGEST_PLAIN_NAME} characters`);
  return name;
}

/** Names of cameras that `scope` holds; null: all that its maker sees. A pattern could match a camera of others. */
export function screenCameras(wanted: unknown, scope: CameraScope): readonly string[] | null {
  if (wanted === undefined || wanted === null) return null;
  if (!Array.isArray(wanted) || wanted.length === 0 || wanted.length > MOST_CAMERAS)
    throw unfit('cameras-invalid', `cameras: give a list of 1 to ${MOST_CAMERAS} names, or none for all`);
  for (const name of wanted) {
    if (typeof name !== 'string' || !parseCameraEntry(name).ok || name.includes('*'))
      throw unfit(
        'cameras-invalid',
        `cameras: ${shown(name).slice(0, LONGEST_PLAIN_NAME)} is not the name of a camera`,
      );
    if (!maySee(scope, name))
      throw unfit(['camera-foreign', { camera: name }], `cameras: Access denied to the camera ${name}`, 403);
  }
  return [...new Set<string>(wanted)];
}

/** Short enough to be typed: leads a person with a phone to the entry of the letters. */
export const PAIR_PATH = '/pair';

// biome-ignore format: a table
export const SCREEN_PAGE_ROUTES: readonly OwnRoute<Pick<Services, 'ui'>>[] = [
  { route: 'GET /postern/screen', access: 'public', summary: 'The page of a display', yes: [200], type: 'text/html', handler: (ctx, { ui }) => (ui.pages ? showScreen(ctx, ui) : refuseUnbuilt(ctx, ui)) },
  { route: `GET ${PAIR_PATH}`, access: 'public', summary: 'Leads to the page where the letters of a display are typed', yes: [302], type: 'text/html', handler: (ctx, { ui }) => leadToEntry(ctx, ui) },
];

/** Letters as a QR code has them. */
const CODE = /^[A-Za-z]{4}-?[A-Za-z]{4}$/;

/** `code` may be empty: the page then asks for the letters. */
function leadToEntry(ctx: RouteContext, ui: Services['ui']): unknown {
  ctx.set(pageHeaders(ui));
  const letters = CODE.exec(String(ctx.query['code']))?.[0] ?? '';
  return moveTo(ctx, 302, `${readBasePath(ctx)}/postern/settings/screens?code=${letters}`);
}

function showScreen(ctx: RouteContext, ui: Services['ui']): void {
  const basePath = readBasePath(ctx);
  ctx.set(pageHeaders(ui));
  const { tag, words } = pageLanguage(ctx);
  const text = words.screens.page;
  const facts: ScreenFacts = { basePath, still: ui.still, live: ui.live, words: asTemplates(text) };
  ctx.set('Vary', 'Accept-Language, Cookie');
  // The script stands behind the body that it fills: browsers of televisions know no modules.
  const body = html`<body class="screen" data-facts="${JSON.stringify(facts)}">
<p class="screen-message">${text.connecting}</p>
<noscript><p class="screen-message">${text.noScript}</p></noscript>
<script src="${assetPath(ui.pages, basePath, 'screen', 'js')}"></script>
</body>`;
  const head = stylesheetLink(assetPath(ui.pages, basePath, 'screen', 'css'));
  sendPage(ctx, 200, lonePage({ tag, title: `${text.pageTitle} · ${ui.name}`, head, body }));
}
