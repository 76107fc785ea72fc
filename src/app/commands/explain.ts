/** What the server would judge by, from its configuration and its store, without the server: for `postern explain` (SPEC 1). */
import { existsSync } from 'node:fs';
import { layoutOfNames } from '../../access/recorder-layout.ts';
import { createLinks, type Links } from '../../accounts/links/links.ts';
import { createRoleRegistry, type RoleRegistry } from '../../accounts/roles/role-registry.ts';
import { isFactorRequired } from '../../accounts/second-factor/second-factor.ts';
import { importSigningKey } from '../../accounts/sessions/session-jwt.ts';
import { createSessions, type Sessions } from '../../accounts/sessions/sessions.ts';
import { findSigningSecret } from '../../accounts/sessions/signing-secret.ts';
import { createStoreGrace } from '../../accounts/sessions/store-grace.ts';
import { type ApiTokens, createApiTokens } from '../../accounts/tokens/api-tokens.ts';
import { formatProblem } from '../../config/problems/problems.ts';
import { rolesOfFile } from '../../config/schema/role-schema.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { storeAddress } from '../../config/schema/store-schema.ts';
import { loadServiceConfig } from '../../config/service-config.ts';
import { visibleCameras } from '../../domain/camera-scope.ts';
import { unixSeconds } from '../../domain/clock.ts';
import type { CameraName } from '../../domain/names.ts';
import type { SessionVerdict } from '../../domain/verdict.ts';
import { readTrustedHeaders } from '../../identity/trusted-headers-file.ts';
import { openNvrDatabase } from '../../store/nvr-database.ts';
import { openStore, type Store } from '../../store/open-store.ts';
import { createLogs } from '../../telemetry/logs/log.ts';
import { ADD_ON_OPTIONS } from '../accounts/accounts.ts';
import { createExplainer, type Explainer } from '../gate/explain.ts';
import { decisionRules, destinationRules, headerRules, ownerLookup, routeTable } from '../gate/rules.ts';
import { TRUSTED_HEADERS_FILES } from '../resources/trusted-headers.ts';
import { askerOf, watchCameras } from '../resources/upstreams.ts';
import type { CommandPlace } from './commands.ts';

export interface ExplainPlace extends CommandPlace {
  /** The allowlist file, where it is not in the interface's place (5.5.7). */
  readonly trustedHeadersFile?: string;
}

export interface ExplainCommand {
  readonly explain: Explainer;
  close(): Promise<void>;
}

/** Changes nothing. Rejects with a sentence when the server could not start either. `note` is told what could not be read. */
export async function openForExplain(place: ExplainPlace, note: (sentence: string) => void): Promise<ExplainCommand> {
  const config = await loadServiceConfig({ ...place, whenMissing: 'read' });
  if (config.kind === 'invalid') {
    throw new Error(config.problems.map((problem) => formatProblem(config.file, problem)).join('\n'));
  }
  const { settings } = config;
  const { trustedHeadersFile = TRUSTED_HEADERS_FILES.mounted } = place;
  const list = await readTrustedHeaders({ ...TRUSTED_HEADERS_FILES, mounted: trustedHeadersFile });
  if (!list.ok) throw new Error(list.error);
  const routes = routeTable(config.policy, settings);
  const store = await storeBeside(settings);
  const layout = await layoutOf(settings, store, note);
  const eventsBackend = settings.events.source === 'nvr' ? undefined : NOT_RUNNING;
  const destinations = destinationRules(settings, eventsBackend);
  const roleRegistry = createRoleRegistry({ store: store?.roles ?? NO_ROLES, fixed: rolesOfFile(settings.auth) });
  const verifySession = sessionVerifier(settings, store, place, roleRegistry);
  const now = () => unixSeconds(place.clock);
  const tokens = store && tokensOf(store, settings.auth.enabled, place, roleRegistry);
  const links = store && tokens && linksOf(store, settings, place, roleRegistry, tokens);
  const explain = createExplainer({
    settings,
    roles: roleRegistry.active,
    now,
    findUser: async (name) => store?.accounts.findUser(name),
    destinations,
    headers: () => headerRules(settings, list.value.names),
    camerasOf: (scope) => visibleCameras(scope, layout?.cameras ?? []),
    rules: (trace) =>
      decisionRules({
        settings,
        routes,
        destinations,
        allowlist: list.value.names,
        verifySession,
        verifyApiToken: tokens?.verify ?? (async () => ({ kind: 'invalid', reason: 'unknown' })),
        verifyLink: links?.verify ?? (async () => ({ kind: 'invalid', reason: 'unknown' })),
        sharedBy: links?.shared ?? (() => undefined),
        roleRegistry,
        now,
        layout: () => layout,
        owners: ownerLookup(destinations, askerOf(settings)),
        trace,
      }),
  });
  return { explain, close: async () => store?.close() };
}

/** The backend's socket is the running server's own. */
const NOT_RUNNING = { kind: 'unix', path: 'events.sock' } as const;

/** None before the first start, which makes it. */
export const storeBeside = async ({ store }: Settings): Promise<Store | undefined> =>
  store.url.engine === 'postgres' || existsSync(store.url.file)
    ? openStore({ url: storeAddress(store.url), readOnly: true })
    : undefined;

export async function layoutOf(settings: Settings, store: Store | undefined, note: (sentence: string) => void) {
  if (!settings.nvr.url && !settings.nvr.cameras) return layoutOfNames(await camerasWithEvents(settings, store));
  const logs = createLogs({
    rules: { default: 'warn', logs: new Map() },
    destination: { write: () => note('the NVR did not answer the request for its list of cameras') },
    clock: { now: () => 0 }, // the line itself is not shown
  });
  const cameras = watchCameras(settings, undefined, async () => [], logs.named('explain'));
  await cameras.refresh();
  cameras.stop();
  return cameras.layout();
}

async function camerasWithEvents({ events }: Settings, store: Store | undefined): Promise<CameraName[]> {
  if (events.source !== 'nvr-database' || events.nvr_database === undefined)
    return ((await store?.events.cameras()) ?? []) as CameraName[];
  const nvr = await openNvrDatabase(events.nvr_database);
  return (await nvr.events.cameras().finally(nvr.close)) as CameraName[];
}

const NO_ROLES = { listRoles: async () => [] };

function tokensOf(
  { apiTokens: tokenStore, accounts }: Store,
  authEnabled: boolean,
  { clock }: CommandPlace,
  { active }: RoleRegistry,
): ApiTokens {
  return createApiTokens({ tokenStore, store: accounts, clock, roles: active, authEnabled });
}

/** A PIN cannot be given here: for a link with one the answer is that it is missing. */
const linksOf = (
  store: Store,
  { auth, links }: Settings,
  { clock }: CommandPlace,
  { active }: RoleRegistry,
  tokens: ApiTokens,
): Links =>
  createLinks({
    linkStore: store.links,
    store: store.accounts,
    passes: { viewerIn: () => undefined },
    clock,
    grace: createStoreGrace(),
    roles: active,
    recheckToken: tokens.recheck,
    authEnabled: auth.enabled,
    owesFactor: ({ hasFactor, role }) => !hasFactor && isFactorRequired(auth.second_factor, role),
    isEnabled: links.enabled,
  });

/** The secret is looked for only when there is a token. */
function sessionVerifier(
  settings: Settings,
  store: Store | undefined,
  { env, directory, clock }: CommandPlace,
  roleRegistry: RoleRegistry,
) {
  let opened: Promise<Sessions> | undefined;
  const open = async (accounts: Store['accounts']): Promise<Sessions> => {
    const places = { environment: env, optionsFile: ADD_ON_OPTIONS, configDirectory: directory };
    const secret = await findSigningSecret(places, 'refuse');
    if (!secret.ok) throw new Error(secret.error);
    const { auth } = settings;
    return createSessions({
      store: accounts,
      key: await importSigningKey(secret.value.key),
      clock,
      roles: roleRegistry.active,
      sessionLength: auth.session_length,
      refreshTime: auth.refresh_time,
      maxAge: auth.session_max_age,
      cookie: { name: auth.cookie_name, secure: auth.cookie_secure, sameSite: auth.cookie_same_site, path: '/' },
    });
  };
  return async (token: string, carriedBy: 'cookie' | 'bearer'): Promise<SessionVerdict> => {
    if (!store) return { kind: 'invalid', reason: 'user-gone' };
    opened ??= open(store.accounts);
    return (await opened).verify(token, carriedBy);
  };
}
