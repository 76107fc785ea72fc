/** What the server would judge by, from its configuration and its store, without the server: for `postern explain` (SPEC 1). */
import { behindLatest } from '../../access/curtain.ts';
import { createGrantMemory } from '../../accounts/grants/grants.ts';
import { createRoleRegistry } from '../../accounts/roles/roles.ts';
import { isFactorRequired } from '../../accounts/second-factor/second-factor.ts';
import { importSigningKey } from '../../accounts/sessions/session-jwt.ts';
import { findSigningSecret } from '../../accounts/sessions/signing-secret.ts';
import { createStoreGrace } from '../../accounts/sessions/store-grace.ts';
import { createApiTokens } from '../../accounts/tokens/api-tokens.ts';
import type { CommandPlace } from '../../config/load-config.ts';
import { rolesOfFile } from '../../config/schema/role-schema.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { User } from '../../domain/accounts/account.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { openRules, type RulePlace } from '../../gateway/rules.ts';
import { TRUSTED_HEADERS_FILES } from '../../identity/trusted-headers.ts';
import { readTrustedHeaders } from '../../identity/trusted-headers-file.ts';
import type { Store } from '../../store/open-store.ts';
import { openIdentities, sessionsUnder } from '../identities.ts';
import { openFeaturesForCommand } from '../resources/features.ts';
import { openReadOnly } from './read-only.ts';

export type ExplainCommand = Awaited<ReturnType<typeof openForExplain>>;

/** Changes nothing. Rejects with a sentence when the server could not start either. `note` is told what could not be read. */
export async function openForExplain(place: CommandPlace, note: (sentence: string) => void) {
  const { trustedHeadersFile = TRUSTED_HEADERS_FILES.mounted } = place;
  const { config, store, readLayout, close } = await openReadOnly(place, note);
  const list = await readTrustedHeaders({ ...TRUSTED_HEADERS_FILES, mounted: trustedHeadersFile });
  if (!list.ok) throw new Error(list.error);
  const { settings } = config;
  const layout = await readLayout();
  const { explain } = openRules({
    config,
    identities: store ? await identitiesIn(store, settings, place) : identitiesWithoutStore(settings, place),
    eventsBackend: settings.events.source === 'nvr' ? undefined : NOT_RUNNING,
    layout: () => layout,
    findUser: async (name) => store?.accounts.findUser(name),
    allowlist: () => list.value.names,
  });
  return { explain, close };
}

/** The backend's socket is the running server's own. */
const NOT_RUNNING = { kind: 'unix', path: 'events.sock' } as const;

/** A PIN cannot be given here: for a link with one the answer is that it is missing. */
async function identitiesIn(
  store: Store,
  settings: Settings,
  { env, directory, clock, warn = () => {} }: CommandPlace,
) {
  const { auth } = settings;
  const secretPlaces = { environment: env, configDirectory: directory };
  const grace = createStoreGrace();
  const roleRegistry = createRoleRegistry({ store: store.roles, fixed: rolesOfFile(auth) });
  const grants = createGrantMemory({ store, clock, grace });
  const tokens = createApiTokens({ grants, clock, roles: roleRegistry.active, authEnabled: auth.enabled });
  const behindCurtain = behindLatest(store.curtain.listDrawn, () => unixSeconds(clock));
  const judging = {
    store,
    clock,
    grace,
    grants,
    roleRegistry,
    tokens,
    behindCurtain,
    passes: { viewerIn: () => undefined },
  };
  /** The secret is looked for only when there is a token. */
  const open = async () => {
    const secret = await findSigningSecret(secretPlaces, 'refuse');
    if (!secret.ok) throw new Error(secret.error);
    return sessionsUnder(settings, { ...judging, key: await importSigningKey(secret.value.key) });
  };
  let opened: ReturnType<typeof open> | undefined;
  const sessions = () => (opened ??= open());
  const owesFactor = ({ hasFactor, role }: User) => !hasFactor && isFactorRequired(auth.second_factor, role);
  return openIdentities(
    settings,
    judging,
    {
      verify: async (token, carriedBy) => (await sessions()).verify(token, carriedBy),
      recheck: async (caller) => (await sessions()).recheck(caller),
    },
    owesFactor,
    await openFeaturesForCommand({ store, settings, clock, warn, secretPlaces }),
  ).identities;
}

/** No credential holds before the first start, which makes the store. */
function identitiesWithoutStore({ auth }: Settings, { clock }: CommandPlace): RulePlace['identities'] {
  const unknown = async () => ({ kind: 'invalid', reason: 'unknown' }) as const;
  return {
    verifySession: async () => ({ kind: 'invalid', reason: 'user-gone' }),
    verifyApiToken: unknown,
    verifyLink: unknown,
    sharedBy: () => undefined,
    findViewed: undefined,
    behindCurtain: (caller) => caller,
    roleRegistry: createRoleRegistry({ store: { listRoles: async () => [] }, fixed: rolesOfFile(auth) }),
    now: () => unixSeconds(clock),
  };
}
