/** Login, logout and profile (interface 4, 5.1; SPEC 4.1, 4.2). `GET /auth` is handled in the gateway; other methods of it are refused here. */
import Router from 'koa-router';
import type { CameraScope } from '../../domain/camera-scope.ts';
import { ADMIN, type Role, type UserName, VIEWER } from '../../domain/names.ts';
import { REFUSALS } from '../../domain/refusal.ts';
import type { RouteState } from '../../domain/verdict.ts';
import { agentOf, credentialOf } from '../audit.ts';
import { type AccountContext, refuse, refuseFor, refuseMethod, respond } from '../http/responses.ts';
import { cookieClientOf } from '../sessions/session-cookie.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { createPostLogin, type PostLoginDeps } from './post-login.ts';

export interface LoginRouteDeps extends PostLoginDeps {
  readonly settings: () => LoginSettings;
  readonly sessions: Sessions;
  /** The names to show in a profile; none while the cameras are not known yet. Must not fail: see SPEC 5 on `/api/profile`. */
  readonly visibleCameras: (scope: CameraScope) => readonly string[] | Promise<readonly string[]>;
  /** What people call a camera, where the NVR has such a name. */
  readonly friendlyNameOf?: (camera: string) => string | undefined;
  /** Whether the NVR's pages know other roles than admin and viewer; absent: they do. Must not fail. */
  readonly knowsCustomRoles?: () => Promise<boolean>;
}

/** What a reload of the configuration may change. */
export interface LoginSettings {
  readonly authEnabled: boolean;
  /** The path below the base path. */
  readonly loginPath: string;
  /** `proxy.logout_url`. */
  readonly logoutUrl: string | undefined;
  /** `server.timeout_login_body`. */
  readonly bodySeconds: number;
}

export function createLoginRoutes(deps: LoginRouteDeps): Router<RouteState> {
  // Exact matching: the route table treats `/API/login` and `/api/login/` as other paths.
  const router = new Router<RouteState>({ strict: true, sensitive: true });
  router.post('/api/login', createPostLogin(deps));
  router.all('/api/login', refuseMethod('POST'));
  router.get('/api/auth/first_time_login', (ctx) =>
    respond(ctx, 200, { admin_first_time_login: deps.firstTimeLogin.isAwaited() }),
  );
  router.get('/api/profile', (ctx) => profile(ctx, deps));
  router.all(['/auth', '/api/auth', '/api/auth/first_time_login', '/api/profile'], refuseMethod('GET, HEAD'));
  router.get(['/logout', '/api/logout'], (ctx) => logoutByLink(ctx, deps));
  router.post(['/logout', '/api/logout'], (ctx) => logout(ctx, deps));
  router.all(['/logout', '/api/logout'], refuseMethod('GET, POST'));
  return router;
}

async function profile(ctx: AccountContext, deps: LoginRouteDeps): Promise<void> {
  const { caller } = ctx.state;
  if (!caller) return refuseStranger(ctx, deps);
  const cameras = await deps.visibleCameras(caller.scope);
  const named = cameras.flatMap((camera) => {
    const name = deps.friendlyNameOf?.(camera);
    return name === undefined ? [] : [[camera, name]];
  });
  respond(ctx, 200, {
    username: caller.name,
    role: await roleForPages(caller.role, deps),
    allowed_cameras: [...cameras],
    ...(named.length > 0 && { camera_names: Object.fromEntries(named) }),
    ...(caller.mustEnrol && { second_factor_required: true }),
    ...(caller.hasGeneratedPassword && { password_is_generated: true }),
  });
}

/** Pages that know two roles would show another one nothing at all. What the caller may see is not decided by this name. */
async function roleForPages(role: Role, { knowsCustomRoles }: LoginRouteDeps): Promise<Role> {
  if (role === ADMIN || role === VIEWER || !knowsCustomRoles) return role;
  return (await knowsCustomRoles()) ? role : VIEWER;
}

/** `<img src="…/logout">` on another site must not end a session; a link there may. HEAD ends nothing. */
async function logoutByLink(ctx: AccountContext, deps: LoginRouteDeps): Promise<void> {
  if (ctx.method === 'HEAD') return refuseMethod('GET, POST')(ctx);
  const isCrossSite = ctx.get('Sec-Fetch-Site') === 'cross-site' && ctx.get('Sec-Fetch-Mode') !== 'navigate';
  if (isCrossSite) return refuseFor(ctx, 'cross-site');
  return logout(ctx, deps);
}

async function logout(ctx: AccountContext, { sessions, settings, audit }: LoginRouteDeps): Promise<void> {
  const { caller, clientAddress: from, requestId, basePath = '' } = ctx.state;
  // Before anything can fail: the browser forgets the cookie even when the revocation is not written.
  ctx.set({ 'Cache-Control': 'no-store', 'Set-Cookie': sessions.clearedCookie(cookieClientOf(ctx.state)) });
  const entry = {
    what: 'logout',
    from,
    ...credentialOf(caller),
    ...agentOf(ctx.state),
    verdict: 'allowed',
    requestId,
  } as const;
  try {
    // A browser may hold several cookies of the name, and go on with any of them.
    const ended = await Promise.all([caller && sessions.end(caller), endShown(ctx, sessions)]);
    const who = caller?.name ?? ended[1];
    if (who) audit({ ...entry, who });
  } catch (fault) {
    audit({ ...entry, who: caller?.name, reason: 'not-stored' });
    throw fault;
  }
  const { logoutUrl, loginPath } = settings();
  ctx.redirect(logoutUrl ?? `${basePath}${loginPath}`);
  ctx.status = 303;
}

/** Also with tokens that are over: their session may live on in a renewed one, and its streams are open. */
async function endShown(ctx: AccountContext, sessions: Sessions): Promise<UserName | undefined> {
  if (ctx.get('Sec-Fetch-Site') === 'cross-site' && ctx.method !== 'GET') return undefined;
  const bearer = /^bearer +(?<token>\S+)$/i.exec(ctx.get('Authorization'))?.groups?.['token'];
  const shown = bearer === undefined ? sessions.tokensIn(ctx.get('Cookie')) : [bearer];
  const ended = await Promise.all(shown.map(sessions.endShown));
  return ended.find((name) => name !== undefined);
}

/** The answer to a stranger. With own accounts it names the login page; in proxy mode the proxy does that (interface 5.5.8). */
function refuseStranger(ctx: AccountContext, { settings }: LoginRouteDeps): void {
  const { authEnabled, loginPath } = settings();
  if (authEnabled) ctx.set('Location', `${ctx.state.basePath ?? ''}${loginPath}`);
  refuse(ctx, REFUSALS['no-credentials'].status, REFUSALS['no-credentials'].message);
}
