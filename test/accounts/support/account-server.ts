/** The account routes on a port of their own, behind a middleware that identifies callers by session or API token. */

import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import Koa from 'koa';
import type { AuditEntry } from '../../../src/accounts/audit.ts';
import { createGrantMemory, createGrantUses } from '../../../src/accounts/grants/grants.ts';
import { type GuardedAct, ONLY_STRICT } from '../../../src/accounts/http/kernel.ts';
import { createFirstTimeLogin } from '../../../src/accounts/login/first-admin.ts';
import { BY_ACCOUNT, CODE_RULES } from '../../../src/accounts/login/guesses.ts';
import {
  BY_ADDRESS,
  createKnownClients,
  createWindowLimiter,
  inTurn,
} from '../../../src/accounts/login/login-limiter.ts';
import { LOGIN_ROUTES } from '../../../src/accounts/login/login-routes.ts';
import { NO_PROVIDERS, REAUTHENTICATE_ROUTES } from '../../../src/accounts/login/reauthenticate.ts';
import { createChallenges } from '../../../src/accounts/passkeys/credential.ts';
import { createPasswordHasher, type HashSettings } from '../../../src/accounts/passwords/password-hash.ts';
import { CONFIG_SET_ROUTES, ROLE_ROUTES } from '../../../src/accounts/roles/role-routes.ts';
import { createRoleRegistry } from '../../../src/accounts/roles/roles.ts';
import { FACTOR_ROUTES } from '../../../src/accounts/second-factor/factor-routes.ts';
import { createSealer, derivedKey, PURPOSES } from '../../../src/accounts/second-factor/sealing.ts';
import { createSecondFactor } from '../../../src/accounts/second-factor/second-factor.ts';
import { createSeenSessions } from '../../../src/accounts/sessions/seen-sessions.ts';
import { importSigningKey } from '../../../src/accounts/sessions/session-jwt.ts';
import { SESSION_ROUTES } from '../../../src/accounts/sessions/session-routes.ts';
import { signingKey } from '../../../src/accounts/sessions/signing-secret.ts';
import { createStoreGrace } from '../../../src/accounts/sessions/store-grace.ts';
import { createApiTokens, createTokenVerifier } from '../../../src/accounts/tokens/api-tokens.ts';
import { TOKEN_ROUTES } from '../../../src/accounts/tokens/token-routes.ts';
import { USER_ROUTES } from '../../../src/accounts/users/user-routes.ts';
import type { Services } from '../../../src/app/services.ts';
import type { User } from '../../../src/domain/accounts/account.ts';
import type { FactorMode } from '../../../src/domain/accounts/second-factor.ts';
import type { Caller, RouteState } from '../../../src/domain/caller.ts';
import { type CameraScope, visibleCameras } from '../../../src/domain/camera-scope.ts';
import { unixSeconds } from '../../../src/domain/clock.ts';
import { hasFreshProof } from '../../../src/domain/credentials.ts';
import type { CameraName } from '../../../src/domain/names.ts';
import { parseRateLimit } from '../../../src/domain/rate-limit.ts';
import { rightsOfUser } from '../../../src/domain/rights.ts';
import { bound } from '../../../src/routes/own-route.ts';
import type { AccountStore } from '../../../src/store/accounts/accounts.ts';
import type { Store } from '../../../src/store/open-store.ts';
import type { LoginResult } from '../../../src/telemetry/metrics.ts';
import { serveRoutes } from '../../support/serve-routes.ts';
import { type Answered, type Asked, ask } from './ask.ts';
import { SIGNING_SECRET } from './hand-made-token.ts';
import { handClock, IN_FORCE, openInstanceStore, PASSWORD_RULES } from './people.ts';
import { type SessionsOf, sessionsOf } from './sessions-of.ts';

export interface AccountServerOptions {
  readonly store?: AccountStore;
  /** The whole store, for roles, sessions and tokens. */
  readonly records?: Store;
  readonly limit?: string;
  /** Clients that the limiter remembers. */
  readonly remembered?: number;
  readonly session?: Partial<SessionsOf>;
  readonly hashing?: Partial<HashSettings>;
  /** Awaited when a password was hashed, before anything is made of it. */
  readonly afterHash?: () => Promise<unknown>;
  readonly settings?: { readonly authEnabled?: boolean; readonly logoutUrl?: string; readonly bodySeconds?: number };
  readonly sessionsPerUser?: number;
  readonly factorMode?: FactorMode;
  readonly isPasswordNew?: boolean;
  /** Replaces the caller that the session gives. */
  readonly caller?: Caller;
  readonly state?: Partial<RouteState>;
}

export const CAMERAS = ['garden', 'patio_1', 'street'] as CameraName[];

export async function startAccountServer(t: TestContext, options: AccountServerOptions = {}) {
  const clock = handClock();
  const records = options.records ?? (await openInstanceStore(t));
  const store = options.store ?? records.accounts;
  const heard = { logins: [] as LoginResult[], audit: [] as AuditEntry[], faults: [] as unknown[], hashes: 0 };
  const limit = parseRateLimit(options.limit ?? '1000/minute');
  const capacity = options.remembered === undefined ? {} : { capacity: options.remembered };
  const limiter = createWindowLimiter(BY_ADDRESS, { clauses: limit.ok ? limit.value : [], clock, ...capacity });
  const onHash = (): void => {
    heard.hashes += 1;
  };
  const quick = createPasswordHasher({ iterations: 10, concurrency: 1, queue: 32, onHash, ...options.hashing });
  const hasher: typeof quick = {
    ...quick,
    async check(...guess) {
      const outcome = await quick.check(...guess);
      await options.afterHash?.();
      return outcome;
    },
  };
  const key = await importSigningKey(signingKey(SIGNING_SECRET));
  const onFault = (fault: unknown): void => void heard.faults.push(fault);
  const roleRegistry = createRoleRegistry({
    store: records.roles,
    fixed: IN_FORCE,
    grace: createStoreGrace({ version: records.version }),
  });
  // A store that was passed in changes without the version of this one.
  const version = options.store ? {} : { grace: createStoreGrace({ version: records.version }) };
  const sessions = sessionsOf({ store, key, clock, roles: roleRegistry.active, ...version, ...options.session });
  const seenSessions = createSeenSessions({ store: records.sessions, keyId: 'k1', clock, onFault });
  const tokens = createApiTokens({
    grants: createGrantMemory({
      store: { ...records, accounts: store },
      clock,
      grace: createStoreGrace({ version: options.store ? undefined : records.version }),
    }),
    clock,
    roles: roleRegistry.active,
    authEnabled: options.settings?.authEnabled ?? true,
  });
  const grantUses = createGrantUses({ store: records, clock }, onFault);
  /** With `session:ID` for a session, whose id is another one each time. */
  const audit = ({ credential, ...entry }: AuditEntry): void =>
    void heard.audit.push({
      ...entry,
      ...(credential !== undefined && { credential: credential.replace(/^session:.+/, 'session:ID') }),
    });
  const guarded = createTokenVerifier({ tokens, grantUses, tokenLimiter: limiter, audit });
  t.after(() => Promise.all([seenSessions.close(), grantUses.close()]));
  const { authEnabled = true, bodySeconds: seconds = 10, logoutUrl } = options.settings ?? {};
  const auth = {
    enabled: authEnabled,
    second_factor: options.factorMode ?? 'optional',
    sessions_per_user: options.sessionsPerUser ?? 50,
    password_min_length: PASSWORD_RULES.shortest,
  };
  const settings: unknown = { auth, proxy: { logout_url: logoutUrl }, server: { internal_hosts: [] } };

  const app = new Koa<RouteState>();
  app.silent = true;
  app.use(async (ctx, next) => {
    const cookieToken = /frigate_token=([^;]+)/.exec(ctx.get('cookie'))?.[1];
    const bearer = /^Bearer (.+)$/.exec(ctx.get('authorization'))?.[1];
    const token = bearer ?? cookieToken ?? '';
    const verdict = token.startsWith('pst_')
      ? await guarded.verify(token, 'bearer', '192.0.2.1')
      : await sessions.verify(token, bearer === undefined ? 'cookie' : 'bearer');
    const caller = options.caller ?? (verdict.kind === 'valid' ? verdict.caller : undefined);
    const client = { clientAddress: ctx.get('x-test-address') || '192.0.2.1', clientEncrypted: false };
    const agent = { clientAgent: ctx.get('user-agent') || undefined };
    if (caller) seenSessions.note(caller, { address: client.clientAddress, agent: agent.clientAgent });
    Object.assign(ctx.state, { caller, ...client, ...agent, requestId: 'r1', ...options.state });
    await next();
  });
  const bodySeconds = (): number => seconds;
  const recheck = async (caller: Caller): Promise<Caller | undefined> => {
    if (options.caller) return caller;
    return caller.credential.kind === 'session' ? sessions.recheck(caller) : tokens.recheck(caller);
  };
  const factorDeps = {
    store: records.secondFactor,
    sealer: createSealer(derivedKey(signingKey(SIGNING_SECRET), PURPOSES.totp)),
    clock,
    mode: options.factorMode ?? 'optional',
  };
  const parts = {
    sealer: factorDeps.sealer,
    challenges: createChallenges(derivedKey(signingKey(SIGNING_SECRET), PURPOSES.passkeys)),
    secondFactor: createSecondFactor({ ...factorDeps, hasPasskeys: false, trusted: new Set<string>() }),
    codeLimiter: inTurn(createWindowLimiter(BY_ACCOUNT, { ...CODE_RULES, clock })),
    asksProof: (caller: Caller, act: GuardedAct) => !ONLY_STRICT.has(act) && !hasFreshProof(caller, unixSeconds(clock)),
    store,
    limiter: inTurn(limiter),
    knownClients: createKnownClients(),
    closedOf: async (user: User) => rightsOfUser(user, await roleRegistry.active(), unixSeconds(clock)).closed,
    mayUsePassword: () => true,
    hasher,
    clock,
    sessions,
    audit,
    onAct: () => {},
    bodySeconds,
    onLogin: (result: LoginResult) => void heard.logins.push(result),
    recheck,
    roleRegistry,
    seenSessions,
  };
  const services: unknown = {
    ...parts,
    store: { ...records, accounts: store },
    settings,
    firstTimeLogin: createFirstTimeLogin(options.isPasswordNew ?? false),
    visibleCameras: (scope: CameraScope) => visibleCameras(scope, CAMERAS),
    friendlyNameOf: () => undefined,
    inProfile: async () => ({}),
    knowsCustomRoles: async () => true,
    tokenVerifier: guarded,
    providers: NO_PROVIDERS,
    knownCameras: () => CAMERAS,
  };
  const routes = [
    ...[...LOGIN_ROUTES, ...REAUTHENTICATE_ROUTES, ...FACTOR_ROUTES, ...USER_ROUTES],
    ...[...ROLE_ROUTES, ...CONFIG_SET_ROUTES, ...SESSION_ROUTES],
  ];
  app.use(
    serveRoutes([
      ...bound(routes, services as Services),
      ...bound(TOKEN_ROUTES, {
        ...parts,
        store: { ...records, accounts: store },
        roleRegistry,
        grantUses,
        tokenRights: [],
        settings: settings as Services['settings'],
      }),
    ]),
  );
  // What goes on to the NVR, shown.
  app.use((ctx) => {
    const { sentInstead: sent } = ctx.state;
    if (sent) ctx.body = { forwarded: { query: sent.query, body: sent.body.toString() } };
  });
  const port = await listening(t, app);
  const send = (method: string, path: string, asked?: Asked): Promise<Answered> => ask(port, method, path, asked);
  return { send, port, store, records, clock, sessions, heard, hasher };
}

async function listening(t: TestContext, app: Koa<RouteState>): Promise<number> {
  const server = app.listen(0, '127.0.0.1');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise((done) => server.once('listening', done));
  return (server.address() as AddressInfo).port;
}
