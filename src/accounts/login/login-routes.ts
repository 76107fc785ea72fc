/** Login, logout and profile (interface 4, 5.1; SPEC 4.1, 4.2). */

import type { z } from 'zod';
import type { Services } from '../../app/services.ts';
import { ownCredentials } from '../../domain/identity/own-credential.ts';
import { LOGIN_PATH } from '../../domain/login-path.ts';
import { ADMIN, type Role, type UserName, VIEWER } from '../../domain/names.ts';
import { REFUSALS } from '../../domain/refusal.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { SUCCESS } from '../../routes/shapes.ts';
import { agentOf, credentialOf } from '../audit.ts';
import { FIRST_TIME, PROFILE } from '../http/answers.ts';
import { refuse, refuseFor, refuseMethod, respond } from '../http/responses.ts';
import { cookieClientOf } from '../sessions/session-cookie.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { LOGIN, LOGIN_NO, postLogin } from './post-login.ts';

// biome-ignore format: a table
export const LOGIN_ROUTES: readonly OwnRoute<Services>[] = [
  // Credentials are presented here, so the proxy's secret is asked for. Each other method is named: ANY would give way to a row of another table.
  { route: 'POST /api/login', access: 'public', secret: true, summary: 'Log in: the session comes as a cookie', body: LOGIN, yes: [200, SUCCESS], no: LOGIN_NO, handler: postLogin },
  { route: 'GET,PUT,PATCH,DELETE,OPTIONS /api/login', access: 'public', secret: true, handler: refuseMethod('POST') },
  // Answered by the gateway. A caller with an accepted credential gets 202, every other 401 or 403: that is all a proxy asks for.
  { route: 'GET /auth', access: 'any', summary: 'Whether the caller is authenticated, for forward-auth proxies', yes: [202] },
  { route: 'GET /api/auth', access: 'any', summary: 'Whether the caller is authenticated, for forward-auth proxies', yes: [202] },
  // Public because there is nothing to protect.
  { route: 'GET /api/auth/first_time_login', access: 'public', summary: 'Whether the first login is still to come', yes: [200, FIRST_TIME],
    handler: (ctx, { firstTimeLogin }) => respond(ctx, 200, { admin_first_time_login: firstTimeLogin.isAwaited() }) },
  { route: 'GET /logout', access: 'public', summary: 'End the session', yes: [303], no: [403], handler: logoutByLink },
  { route: 'GET /api/logout', access: 'public', summary: 'End the session', yes: [303], no: [403], handler: logoutByLink },
  { route: 'POST /logout', access: 'public', summary: 'End the session', yes: [303], no: [403], handler: logout },
  { route: 'POST /api/logout', access: 'public', summary: 'End the session', yes: [303], no: [403], handler: logout },
  { route: 'GET /api/profile', access: 'any', enrolment: true, view_as: true, screen: true, summary: 'The caller, and the cameras that the caller sees', yes: [200, PROFILE], handler: profile },
];

async function profile(
  ctx: RouteContext,
  deps: Pick<Services, 'settings' | 'screenCookieAgain' | 'visibleCameras' | 'friendlyNameOf' | 'knowsCustomRoles'>,
): Promise<void> {
  const { caller } = ctx.state;
  if (!caller) return refuseStranger(ctx, deps);
  const { credential } = caller;
  if (credential.kind === 'screen') {
    const cookie = await deps.screenCookieAgain?.(ctx.get('Cookie'), cookieClientOf(ctx.state));
    if (cookie !== undefined) ctx.append('Set-Cookie', cookie);
  }
  const cameras = await deps.visibleCameras(caller.scope);
  const named = cameras.flatMap((camera) => {
    const name = deps.friendlyNameOf(camera);
    return name === undefined ? [] : [[camera, name]];
  });
  const shown: z.output<typeof PROFILE> = {
    username: caller.name,
    role: await roleForPages(caller.role, deps),
    allowed_cameras: [...cameras],
    ...(named.length > 0 && { camera_names: Object.fromEntries(named) }),
    ...(caller.mustEnrol && { second_factor_required: true }),
    ...(credential.kind === 'screen' && {
      screen: { name: credential.screenName, ends_at: credential.expiresAt ?? null },
    }),
    ...(caller.hasGeneratedPassword && { password_is_generated: true }),
  };
  respond(ctx, 200, shown);
}

/** Pages that know two roles would show another one nothing at all. What the caller may see is not decided by this name. */
async function roleForPages(role: Role, { knowsCustomRoles }: Pick<Services, 'knowsCustomRoles'>): Promise<Role> {
  if (role === ADMIN || role === VIEWER) return role;
  return (await knowsCustomRoles()) ? role : VIEWER;
}

type LogoutServices = Pick<Services, 'sessions' | 'settings' | 'audit' | 'providers'>;

/** `<img src="…/logout">` on another site must not end a session; a link there may. HEAD ends nothing. */
async function logoutByLink(ctx: RouteContext, deps: LogoutServices): Promise<void> {
  if (ctx.method === 'HEAD') return refuseMethod('GET, POST')(ctx);
  const isCrossSite = ctx.get('Sec-Fetch-Site') === 'cross-site' && ctx.get('Sec-Fetch-Mode') !== 'navigate';
  if (isCrossSite) return refuseFor(ctx, 'cross-site');
  return logout(ctx, deps);
}

async function logout(ctx: RouteContext, deps: LogoutServices): Promise<void> {
  const { sessions, settings, audit } = deps;
  const { caller, clientAddress: from, requestId, basePath = '' } = ctx.state;
  // Before anything can fail: the browser forgets the cookie even when the revocation is not written.
  ctx.set({ 'Cache-Control': 'no-store', 'Set-Cookie': [...sessions.clearedCookies(cookieClientOf(ctx.state))] });
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
  const provider = caller?.credential.kind === 'session' ? caller.credential.provider : undefined;
  const elsewhere = provider === undefined ? undefined : await deps.providers.get(provider)?.endSession();
  ctx.redirect(elsewhere ?? settings.proxy.logout_url ?? `${basePath}${LOGIN_PATH}`);
  ctx.status = 303;
}

/** Also with tokens that are over: their session may live on in a renewed one, and its streams are open. */
async function endShown(ctx: RouteContext, sessions: Sessions): Promise<UserName | undefined> {
  if (ctx.get('Sec-Fetch-Site') === 'cross-site' && ctx.method !== 'GET') return undefined;
  const own = ownCredentials(ctx.req);
  const shown = own.length === 0 ? sessions.tokensIn(ctx.get('Cookie')) : own.map(({ token }) => token);
  const ended = await Promise.all(shown.map(sessions.endShown));
  return ended.find((name) => name !== undefined);
}

/** The answer to a stranger. With own accounts it names the login page; in proxy mode the proxy does that (interface 5.5.8). */
function refuseStranger(ctx: RouteContext, { settings }: Pick<Services, 'settings'>): void {
  if (settings.auth.enabled) ctx.set('Location', `${ctx.state.basePath ?? ''}${LOGIN_PATH}`);
  refuse(ctx, REFUSALS['no-credentials'].status, REFUSALS['no-credentials'].message);
}
