/** The account routes on a port of their own, behind a door that knows callers by their session, as the corridor does. */
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import Koa from 'koa';
import type { AuditEntry } from '../../../src/accounts/audit.ts';
import { createFirstTimeLogin } from '../../../src/accounts/first-admin.ts';
import { createLoginLimiter } from '../../../src/accounts/login-limiter.ts';
import { createLoginRoutes, type LoginSettings } from '../../../src/accounts/login-routes.ts';
import { createPasswordHasher, type HashSettings } from '../../../src/accounts/password.ts';
import type { LoginResult } from '../../../src/accounts/post-login.ts';
import { importSigningKey } from '../../../src/accounts/session-token.ts';
import { createSessions, type SessionParts } from '../../../src/accounts/sessions.ts';
import { signingKey } from '../../../src/accounts/signing-secret.ts';
import { createUserRoutes } from '../../../src/accounts/user-routes.ts';
import type { AccountStore } from '../../../src/domain/account.ts';
import type { Caller } from '../../../src/domain/caller.ts';
import { visibleCameras } from '../../../src/domain/camera-scope.ts';
import type { CameraName } from '../../../src/domain/names.ts';
import { parseRateLimit } from '../../../src/domain/rate-limit.ts';
import type { CorridorState } from '../../../src/domain/verdict.ts';
import { type Answered, type Asked, ask } from './ask.ts';
import { SIGNING_SECRET } from './hand-made-token.ts';
import { handClock, openAccounts, ROLES } from './people.ts';

export interface DeskOptions {
  readonly store?: AccountStore;
  readonly limit?: string;
  readonly session?: Partial<SessionParts>;
  readonly hashing?: Partial<HashSettings>;
  readonly settings?: Partial<LoginSettings>;
  readonly isPasswordNew?: boolean;
  /** In place of whoever the session says. */
  readonly caller?: Caller;
  readonly state?: Partial<CorridorState>;
}

export const CAMERAS = ['garden', 'patio_1', 'street'] as CameraName[];

export async function startDesk(t: TestContext, options: DeskOptions = {}) {
  const clock = handClock();
  const store = options.store ?? (await openAccounts(t));
  const heard = { logins: [] as LoginResult[], audit: [] as AuditEntry[], hashes: 0 };
  const limit = parseRateLimit(options.limit ?? '1000/minute');
  const limiter = createLoginLimiter({ clauses: limit.ok ? limit.value : [], clock });
  const onHash = (): void => {
    heard.hashes += 1;
  };
  const hasher = createPasswordHasher({ iterations: 10, concurrency: 1, queue: 32, onHash, ...options.hashing });
  const key = await importSigningKey(signingKey(SIGNING_SECRET));
  const cookie = { name: 'frigate_token', secure: 'auto', sameSite: 'lax', path: '/' } as const;
  const lengths = { sessionLength: 86_400, refreshTime: 1800, cookie, ...options.session };
  const sessions = createSessions({ store, key, clock, roles: () => ROLES, ...lengths });
  const settings = {
    authEnabled: true,
    loginPath: '/login',
    logoutUrl: undefined,
    bodySeconds: 10,
    ...options.settings,
  };

  const app = new Koa<CorridorState>();
  app.silent = true;
  app.use(async (ctx, next) => {
    const cookieToken = /frigate_token=([^;]+)/.exec(ctx.get('cookie'))?.[1];
    const bearer = /^Bearer (.+)$/.exec(ctx.get('authorization'))?.[1];
    const token = bearer ?? cookieToken ?? '';
    const verdict = await sessions.verify(token, bearer === undefined ? 'cookie' : 'bearer');
    const caller = options.caller ?? (verdict.kind === 'valid' ? verdict.caller : undefined);
    const client = { clientAddress: ctx.get('x-test-address') || '192.0.2.1', clientEncrypted: false };
    Object.assign(ctx.state, { caller, ...client, requestId: 'r1', ...options.state });
    await next();
  });
  const parts = { store, limiter, hasher, clock, sessions, audit: (entry: AuditEntry) => void heard.audit.push(entry) };
  app.use(
    createLoginRoutes({
      ...parts,
      settings: () => settings,
      firstTimeLogin: createFirstTimeLogin(options.isPasswordNew ?? false),
      visibleCameras: (scope) => visibleCameras(scope, CAMERAS),
      onLogin: () => (result) => void heard.logins.push(result),
    }).routes(),
  );
  app.use(createUserRoutes({ ...parts, roles: () => ROLES, bodySeconds: () => settings.bodySeconds }).routes());
  const port = await listening(t, app);
  const desk = (method: string, path: string, asked?: Asked): Promise<Answered> => ask(port, method, path, asked);
  return { desk, port, store, clock, sessions, heard, hasher };
}

async function listening(t: TestContext, app: Koa<CorridorState>): Promise<number> {
  const server = app.listen(0, '127.0.0.1');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise((done) => server.once('listening', done));
  return (server.address() as AddressInfo).port;
}
