/** Opens the store and the accounts for the command line, beside a running server or without one (SPEC 1). */
import { existsSync } from 'node:fs';
import { ACCOUNT_ROUTES } from '../accounts/all/account-routes.ts';
import { AT_COMMAND_LINE, type Audit } from '../accounts/audit.ts';
import type { Asking, CommandStore, StoreUse } from '../accounts/http/route-commands.ts';
import { INVITATION_ROUTES } from '../accounts/invitations/invitation-routes.ts';
import { createLoginBlocks } from '../accounts/login/login-blocks.ts';
import { createPasswordHasher } from '../accounts/passwords/password-hash.ts';
import { createRoleRegistry } from '../accounts/roles/roles.ts';
import { FACTOR_ROUTES } from '../accounts/second-factor/factor-routes.ts';
import { openKnownStore, storeOptions } from '../accounts/store/own-store.ts';
import { type CommandPlace, loadConfig, underStored } from '../config/load-config.ts';
import { formatProblems } from '../config/problems/problems.ts';
import { rolesOfFile } from '../config/schema/role-schema.ts';
import type { Settings } from '../config/schema/schema.ts';
import { addressMaker } from '../domain/addresses.ts';
import type { Caller } from '../domain/caller.ts';
import { COMMAND_LINE_CALLER } from '../domain/credentials.ts';
import type { StoredSettings } from '../domain/stored-settings.ts';
import { askerFor, bound, type OwnRoute, type RouteAsker } from '../routes/own-route.ts';
import { openStore } from '../store/open-store.ts';
import { openFeaturesForCommand, tokenRightsIn } from './resources/features.ts';

/** The routes that commands call. */
const CALLED: readonly OwnRoute<never>[] = [...ACCOUNT_ROUTES, ...FACTOR_ROUTES, ...INVITATION_ROUTES];

/** Rejects with every problem of the configuration, or with why the store cannot be opened. */
export async function openForCommands(
  { directory, env, schema, clock, warn = () => {} }: CommandPlace,
  use: StoreUse = 'create',
): Promise<CommandStore> {
  const whenMissing = use === 'create' ? 'write' : 'read';
  const read = (stored?: StoredSettings) => loadConfig({ directory, env, schema, whenMissing, stored });
  const config = await read();
  if (config.kind === 'invalid') {
    throw new Error(formatProblems(config.file, config.problems));
  }
  if (use !== 'create') assertThere(config.settings);
  const store = await (use === 'read'
    ? openStore({ ...storeOptions(config.settings), readOnly: true })
    : openKnownStore(directory, config.settings));
  const { settings } = await underStored(config, store.settings, read);
  const { auth } = settings;
  const secretPlaces = { configDirectory: directory, environment: env };
  const features = await openFeaturesForCommand({ store, settings, clock, warn, secretPlaces });
  /** Records an act (SPEC 14). */
  const audit: Audit = (entry) => features.note({ ...entry, who: undefined, from: AT_COMMAND_LINE });
  const hasher = createPasswordHasher({ iterations: auth.hash_iterations, concurrency: 1, queue: 0 });
  const roleRegistry = createRoleRegistry({ store: store.roles, fixed: rolesOfFile(auth) });
  const limits = { store: store.loginBlocks, attempts: store.attempts };
  const publicAddressOf = addressMaker(settings.server.public_url);
  const services = {
    audit,
    bodySeconds: () => 0,
    recheck: async (caller: Caller) => caller,
    asksProof: () => false,
    store,
    clock,
    settings,
    hasher,
    roleRegistry,
    blocks: createLoginBlocks({ ...limits, clock, steadyClock: clock, onFault: () => {} }),
    knownCameras: () => [],
    publicAddressOf,
    grantUses: { flush: async () => {} },
    tokenRights: tokenRightsIn(),
  };
  // What requests alone need is absent: no call of a command comes to it.
  const routes = [...bound<never>(CALLED, services as never), ...features.routes(services as never)];
  const asker = askerFor(routes, BY_COMMAND);
  return {
    settings,
    store,
    asker,
    ask: asking(asker),
    importing: {
      ...services,
      record: (act) => audit({ ...act, who: undefined, from: AT_COMMAND_LINE, verdict: 'allowed' }),
    },
    async close(): Promise<void> {
      await features.close();
      await store.close();
    },
  };
}

/** Opens what requests are explained by, which need not be there. */
export async function openToExplain(place: CommandPlace): Promise<Asking> {
  const { explain, close } = await (await import('./explain.ts')).openForExplain(place);
  const { EXPLAIN_ROUTES } = await import('../gateway/explain/explain-route.ts');
  return { ask: asking(askerFor(bound<never>(EXPLAIN_ROUTES, { explain } as never), BY_COMMAND)), close };
}

const BY_COMMAND = { caller: COMMAND_LINE_CALLER, from: AT_COMMAND_LINE };

const asking =
  (asker: RouteAsker): Asking['ask'] =>
  async (route, given = {}, absent) => {
    const answer = await asker(route, given);
    if (answer.ok) return answer.value as never;
    const { status, message } = answer.error;
    throw new Error(status === 404 ? (absent ?? message) : message);
  };

function assertThere({ store: { url } }: Settings): void {
  if (url.engine !== 'sqlite' || existsSync(url.file)) return;
  throw new Error(
    `there is no store at ${url.file}: name the directory of the service with --config-dir; the first "postern serve" makes the store`,
  );
}
