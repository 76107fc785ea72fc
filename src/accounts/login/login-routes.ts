/** Login, logout and profile (interface 4, 5.1; SPEC 4.1, 4.2). */

import type { z } from 'zod';
import type { Services } from '../../app/services.ts';
import { ADMIN, VIEWER } from '../../domain/names.ts';
import { LOGIN_PATH } from '../../domain/page-paths.ts';
import { ownCredentials } from '../../domain/sent-credentials.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { SUCCESS } from '../../routes/shapes.ts';
import { auditedCredential } from '../audit.ts';
import { FIRST_TIME, PROFILE } from '../http/answers.ts';
import { ANSWERED, declaring, type OpenCall, refusedFor, refuseMethod } from '../http/kernel.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { LOGIN, LOGIN_NO, postLogin, unlessDisabled } from './post-login.ts';

const route = declaring<Services>();
const OPEN = { access: 'public', who: 'anyone' } as const;
const LOGOUT = { ...OPEN, summary: 'End the session', yes: [303], no: [403] } as const;

// biome-ignore format: a table
export const LOGIN_ROUTES: readonly OwnRoute<Services>[] = [
  // Credentials are presented here, so the proxy's secret is asked for. Each other method is named: ANY would give way to a row of another table.
  route({ route: 'POST /api/login', ...OPEN, secret: true, summary: 'Log in: the session comes as a cookie', body: LOGIN, untyped: true, counts: true, yes: [200, SUCCESS], no: LOGIN_NO, before: unlessDisabled, run: postLogin }),
  { route: 'GET,PUT,PATCH,DELETE,OPTIONS /api/login', access: 'public', secret: true, handler: refuseMethod },
  // Answered by the gateway. A caller with an accepted credential gets 202, every other 401 or 403: that is all a proxy asks for.
  { route: 'GET /auth', access: 'any', summary: 'Whether the caller is authenticated, for forward-auth proxies', yes: [202] },
  { route: 'GET /api/auth', access: 'any', summary: 'Whether the caller is authenticated, for forward-auth proxies', yes: [202] },
  // Public because there is nothing to protect.
  route({ route: 'GET /api/auth/first_time_login', ...OPEN, summary: 'Whether the first login is still to come', yes: [200, FIRST_TIME],
    run: (_, { firstTimeLogin }) => ({ admin_first_time_login: firstTimeLogin.isAwaited() }) }),
  route({ route: 'GET /logout', ...LOGOUT, before: bySafeLink, run: logout }),
  route({ route: 'GET /api/logout', ...LOGOUT, before: bySafeLink, run: logout }),
  route({ route: 'POST /logout', ...LOGOUT, run: logout }),
  route({ route: 'POST /api/logout', ...LOGOUT, run: logout }),
  route({ route: 'GET /api/profile', access: 'any', who: 'anyone', enrolment: true, view_as: true, few: true, summary: 'The caller, and the cameras that the caller sees', yes: [200, PROFILE], run: profile }),
];

async function profile(
  { ctx, caller }: OpenCall,
  deps: Pick<Services, 'settings' | 'inProfile' | 'visibleCameras' | 'friendlyNameOf' | 'knowsCustomRoles'>,
): Promise<z.output<typeof PROFILE>> {
  if (!caller) {
    // With own accounts the answer names the login page; in proxy mode the proxy does that (interface 5.5.8).
    const headers = deps.settings.auth.enabled ? { Location: `${ctx.state.basePath ?? ''}${LOGIN_PATH}` } : {};
    throw refusedFor('no-credentials', {}, { headers });
  }
  const cameras = await deps.visibleCameras(caller.scope);
  const named = cameras.flatMap((camera) => {
    const name = deps.friendlyNameOf(camera);
    return name === undefined ? [] : [[camera, name]];
  });
  // Pages that know two roles would show another one nothing at all. What the caller may see is not decided by this name.
  const isKnown = [ADMIN, VIEWER].includes(caller.role) || (await deps.knowsCustomRoles());
  const role = isKnown ? caller.role : VIEWER;
  return {
    username: caller.name,
    role,
    ...(role !== caller.role && { custom_role: caller.role }),
    allowed_cameras: [...cameras],
    ...(named.length > 0 && { camera_names: Object.fromEntries(named) }),
    ...(caller.mustEnrol && { second_factor_required: true }),
    ...(await deps.inProfile(ctx, caller)),
    ...(caller.hasGeneratedPassword && { password_is_generated: true }),
  };
}

/** `<img src="…/logout">` on another site must not end a session; a link there may. HEAD ends nothing. */
function bySafeLink({ ctx }: OpenCall): void {
  if (ctx.method === 'HEAD') throw refusedFor('method-not-allowed', {}, { headers: { Allow: 'GET, POST' } });
  const isCrossSite = ctx.get('Sec-Fetch-Site') === 'cross-site' && ctx.get('Sec-Fetch-Mode') !== 'navigate';
  if (isCrossSite) throw refusedFor('cross-site');
}

async function logout(
  { ctx, caller, record }: OpenCall,
  { sessions, settings, providers }: Pick<Services, 'sessions' | 'settings' | 'providers'>,
): Promise<object> {
  const { basePath = '' } = ctx.state;
  // Before anything can fail: the browser forgets the cookie even when the revocation is not written.
  ctx.set({ 'Cache-Control': 'no-store', 'Set-Cookie': [...sessions.clearedCookies(ctx.state)] });
  const act = { what: 'logout', ...auditedCredential(caller) } as const;
  try {
    // A browser may hold several cookies of the name, and go on with any of them.
    const who = await sessions.end(caller, shownTokens(ctx, sessions));
    if (who) record({ ...act, who });
  } catch (fault) {
    record({ ...act, who: caller?.name, reason: 'not-stored' });
    throw fault;
  }
  const provider = caller?.credential.kind === 'session' ? caller.credential.provider : undefined;
  const elsewhere =
    provider === undefined ? undefined : await providers.list.find(({ name }) => name === provider)?.endSession();
  ctx.redirect(elsewhere ?? settings.proxy.logout_url ?? `${basePath}${LOGIN_PATH}`);
  ctx.status = 303;
  return ANSWERED;
}

/** Ended ones, too. */
function shownTokens(ctx: RouteContext, sessions: Sessions): readonly string[] {
  if (ctx.get('Sec-Fetch-Site') === 'cross-site' && ctx.method !== 'GET') return [];
  const own = ownCredentials(ctx.req);
  return own.length === 0 ? sessions.tokensIn(ctx.get('Cookie')) : own.map(({ token }) => token);
}
