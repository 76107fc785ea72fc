/** What the server would judge by, from its configuration and its store, without the server: for `postern explain` (SPEC 1). */
import { behindLatest } from '../../access/curtain.ts';
import { createGrantMemory } from '../../accounts/grants/grants.ts';
import { createLinks, type Links } from '../../accounts/links/links.ts';
import { createRoleRegistry, type RoleRegistry } from '../../accounts/roles/role-registry.ts';
import { createScreens, type Screens } from '../../accounts/screens/screens.ts';
import { isFactorRequired } from '../../accounts/second-factor/second-factor.ts';
import { importSigningKey } from '../../accounts/sessions/session-jwt.ts';
import { createSessions, type Sessions } from '../../accounts/sessions/sessions.ts';
import { findSigningSecret } from '../../accounts/sessions/signing-secret.ts';
import { createStoreGrace } from '../../accounts/sessions/store-grace.ts';
import { type ApiTokens, createApiTokens } from '../../accounts/tokens/api-tokens.ts';
import type { CommandPlace } from '../../config/load-config.ts';
import { rolesOfFile } from '../../config/schema/role-schema.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { User } from '../../domain/accounts/account.ts';
import type { SessionVerdict } from '../../domain/caller.ts';
import { unixSeconds } from '../../domain/clock.ts';
import type { Explainer } from '../../gateway/explain/explainer.ts';
import { openRules } from '../../gateway/rules.ts';
import { readTrustedHeaders } from '../../identity/trusted-headers-file.ts';
import type { Store } from '../../store/open-store.ts';
import { TRUSTED_HEADERS_FILES } from '../resources/trusted-headers.ts';
import { openReadOnly } from './read-only.ts';

export interface ExplainCommand {
  readonly explain: Explainer;
  close(): Promise<void>;
}

/** Changes nothing. Rejects with a sentence when the server could not start either. `note` is told what could not be read. */
export async function openForExplain(place: CommandPlace, note: (sentence: string) => void): Promise<ExplainCommand> {
  const { trustedHeadersFile = TRUSTED_HEADERS_FILES.mounted } = place;
  const { config, store, readLayout, close } = await openReadOnly(place, note);
  const list = await readTrustedHeaders({ ...TRUSTED_HEADERS_FILES, mounted: trustedHeadersFile });
  if (!list.ok) throw new Error(list.error);
  const { settings } = config;
  const layout = await readLayout();
  const roleRegistry = createRoleRegistry({ store: store?.roles ?? NO_ROLES, fixed: rolesOfFile(settings.auth) });
  const grants = store && grantsIn(store, settings, place, roleRegistry);
  const unknown = async () => ({ kind: 'invalid', reason: 'unknown' }) as const;
  const { explain } = openRules({
    config,
    eventsBackend: settings.events.source === 'nvr' ? undefined : NOT_RUNNING,
    verifySession: sessionVerifier(settings, store, place, roleRegistry, grants?.tokens),
    verifyApiToken: grants?.tokens.verify ?? unknown,
    verifyLink: grants?.links.verify ?? unknown,
    verifyScreen: grants?.screens.verify ?? unknown,
    sharedBy: grants?.links.shared ?? (() => undefined),
    behindCurtain: behindLatest(
      async () => (await store?.curtain.listDrawn()) ?? [],
      () => unixSeconds(place.clock),
    ),
    roleRegistry,
    now: () => unixSeconds(place.clock),
    layout: () => layout,
    findUser: async (name) => store?.accounts.findUser(name),
    allowlist: () => list.value.names,
  });
  return { explain, close };
}

/** The backend's socket is the running server's own. */
const NOT_RUNNING = { kind: 'unix', path: 'events.sock' } as const;

const NO_ROLES = { listRoles: async () => [] };

/** What grants are worth. A PIN cannot be given here: for a link with one the answer is that it is missing. */
function grantsIn(
  store: Store,
  { auth, links }: Settings,
  { clock }: CommandPlace,
  { active: roles }: RoleRegistry,
): { readonly tokens: ApiTokens; readonly links: Links; readonly screens: Screens } {
  const memory = createGrantMemory({ store, clock, grace: createStoreGrace() });
  const services = { grants: memory, clock, roles, authEnabled: auth.enabled };
  const tokens = createApiTokens(services);
  const grants = {
    ...services,
    recheckToken: tokens.recheck,
    owesFactor: ({ hasFactor, role }: User) => !hasFactor && isFactorRequired(auth.second_factor, role),
  };
  const passes = { viewerIn: () => undefined };
  const isEnabled = links.max_lifetime > 0;
  return { tokens, links: createLinks({ ...grants, passes, isEnabled }), screens: createScreens(grants) };
}

/** The secret is looked for only when there is a token. */
function sessionVerifier(
  settings: Settings,
  store: Store | undefined,
  { env, directory, clock }: CommandPlace,
  roleRegistry: RoleRegistry,
  tokens: ApiTokens | undefined,
) {
  let opened: Promise<Sessions> | undefined;
  const open = async (accounts: Store['accounts']): Promise<Sessions> => {
    const places = { environment: env, configDirectory: directory };
    const secret = await findSigningSecret(places, 'refuse');
    if (!secret.ok) throw new Error(secret.error);
    const { auth } = settings;
    return createSessions({
      store: accounts,
      key: await importSigningKey(secret.value.key),
      clock,
      roles: roleRegistry.active,
      ...(tokens && { apiTokenNow: tokens.callerNow }),
      sessionLength: auth.session_length,
      refreshTime: auth.refresh_time,
      maxAge: auth.session_max_age,
      cookie: { name: auth.cookie_name, secure: auth.cookie_secure, sameSite: 'lax', path: '/' },
    });
  };
  return async (token: string, carriedBy: 'cookie' | 'bearer'): Promise<SessionVerdict> => {
    if (!store) return { kind: 'invalid', reason: 'user-gone' };
    opened ??= open(store.accounts);
    return (await opened).verify(token, carriedBy);
  };
}
