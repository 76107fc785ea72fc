/** The services that explain a request from the configuration and the store, without the server (SPEC 1, `postern explain`). */
import { layoutOfNames } from '../access/recorder-layout.ts';
import { createRoleRegistry } from '../accounts/roles/roles.ts';
import { isFactorRequired } from '../accounts/second-factor/second-factor.ts';
import { importSigningKey } from '../accounts/sessions/session-jwt.ts';
import { createSessions } from '../accounts/sessions/sessions.ts';
import { findSigningSecret } from '../accounts/sessions/signing-secret.ts';
import { createStoreGrace } from '../accounts/sessions/store-grace.ts';
import { openStoreReadOnly } from '../accounts/store/own-store.ts';
import { type CommandPlace, underStored } from '../config/load-config.ts';
import { formatProblems } from '../config/problems/problems.ts';
import { rolesOfFile } from '../config/schema/role-schema.ts';
import type { Settings } from '../config/schema/schema.ts';
import { loadServiceConfig } from '../config/service-config.ts';
import type { User } from '../domain/accounts/account.ts';
import type { CameraName } from '../domain/names.ts';
import type { StoredSettings } from '../domain/stored-settings.ts';
import type { NvrConfig } from '../gateway/forward/nvr-questions.ts';
import { watchCameras } from '../gateway/forward/watch-cameras.ts';
import { openRules, type RulePlace } from '../gateway/rules.ts';
import { readTrustedHeaders, trustedHeadersFiles } from '../identity/trusted-headers.ts';
import { openNvrDatabase } from '../store/nvr-database.ts';
import type { Store } from '../store/open-store.ts';
import { createLogs } from '../telemetry/logs/log.ts';
import { openIdentities, openJudging } from './identities.ts';
import { openFeaturesForCommand } from './resources/features.ts';

/** Changes nothing. Rejects with a sentence when the server could not start either. `warn` is told what could not be read. */
export async function openForExplain(place: CommandPlace) {
  const { warn = () => {} } = place;
  const read = (stored?: StoredSettings) => loadServiceConfig({ ...place, whenMissing: 'read', stored });
  const first = await read();
  if (first.kind === 'invalid') throw new Error(formatProblems(first.file, first.problems));
  const store = await openStoreReadOnly(first.settings);
  const config = await underStored(first, store?.settings ?? { readSettings: async () => ({}) }, read);
  const list = await readTrustedHeaders(trustedHeadersFiles(place.trustedHeadersFile));
  if (!list.ok) throw new Error(list.error);
  const { settings } = config;
  const layout = await layoutOf(config, store, () =>
    warn('note: the NVR did not answer the request for its list of cameras'),
  );
  const { explain } = openRules({
    config,
    identities: store ? await identitiesIn(store, settings, place) : identitiesWithoutStore(settings, place),
    eventsBackend: settings.events.source === 'nvr' ? undefined : NOT_RUNNING,
    layout: () => layout,
    findUser: async (name) => store?.accounts.findUser(name),
    allowlist: () => list.value.names,
  });
  return { explain, close: async () => store?.close() };
}

/** The backend's socket is the running server's own. */
const NOT_RUNNING = { kind: 'unix', path: 'events.sock' } as const;

async function identitiesIn(store: Store, settings: Settings, place: CommandPlace) {
  const { env, directory, clock, warn = () => {} } = place;
  const secretPlaces = { environment: env, configDirectory: directory };
  const judging = openJudging({ store, clock, grace: createStoreGrace() }, settings);
  /** The secret is looked for only when there is a token. */
  const open = async () => {
    const secret = await findSigningSecret(secretPlaces, 'refuse');
    if (!secret.ok) throw new Error(secret.error);
    return createSessions(settings, { ...judging, key: await importSigningKey(secret.value.key) });
  };
  let opened: ReturnType<typeof open> | undefined;
  const sessions = () => (opened ??= open());
  return openIdentities(
    settings,
    judging,
    {
      verify: async (token, carriedBy) => (await sessions()).verify(token, carriedBy),
      recheck: async (caller) => (await sessions()).recheck(caller),
    },
    ({ hasFactor, role }: User) => !hasFactor && isFactorRequired(settings.auth.second_factor, role),
    await openFeaturesForCommand({ store, settings, clock, warn, secretPlaces }),
  ).identities;
}

/** No credential holds before the first start, which makes the store. */
function identitiesWithoutStore({ auth }: Settings, { clock }: CommandPlace): RulePlace['identities'] {
  const unknown = async () => ({ kind: 'invalid', reason: 'unknown' }) as const;
  return {
    verifySession: async () => ({ kind: 'invalid', reason: 'user-gone' }),
    verifyApiToken: unknown,
    findViewed: undefined,
    subtract: (caller) => caller,
    roleRegistry: createRoleRegistry({ store: { listRoles: async () => [] }, fixed: rolesOfFile(auth) }),
    clock,
  };
}

async function layoutOf(config: NvrConfig, store: Store | undefined, onSilence: () => void) {
  const { settings } = config;
  if (!settings.nvr.url && !settings.nvr.cameras) return layoutOfNames(await camerasWithEvents(settings, store));
  const logs = createLogs({
    rules: { default: 'warn', logs: new Map() },
    destination: { write: onSilence },
    clock: { now: () => 0 }, // the line itself is not shown
  });
  const cameras = watchCameras(config, undefined, { stored: async () => [], log: logs.named('explain') });
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
