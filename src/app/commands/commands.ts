/** Opens the store and the accounts for the command line, beside a running server or without one (SPEC 1). */

import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { AT_COMMAND_LINE, type Audit } from '../../accounts/audit.ts';
import type { AuditedAct } from '../../accounts/http/kernel.ts';
import {
  createInvitations,
  type InvitationRefusal,
  type Invitations,
  type WantedInvitation,
} from '../../accounts/invitations/invitations.ts';
import { createLinkAdmin, type LinkAdmin } from '../../accounts/links/make-link.ts';
import { clientKey, networkKey } from '../../accounts/login/client-key.ts';
import { LIMIT_ROUTES } from '../../accounts/login/limit-routes.ts';
import { createBlockAdmin } from '../../accounts/login/login-blocks.ts';
import { createPasswordHasher } from '../../accounts/passwords/password-hash.ts';
import { passwordRulesOf } from '../../accounts/passwords/password-rules.ts';
import { createRoleRegistry } from '../../accounts/roles/role-registry.ts';
import { createRoles } from '../../accounts/roles/roles.ts';
import { SCREEN_ROUTES } from '../../accounts/screens/screen-routes.ts';
import { newEpoch } from '../../accounts/second-factor/second-factor.ts';
import { createTokenAdmin, type TokenAdmin } from '../../accounts/tokens/token-routes.ts';
import { type ImportUsersDeps, importUsers } from '../../accounts/users/import-users.ts';
import { createSignInAdmin } from '../../accounts/users/sign-in-admin.ts';
import { USER_ROUTES } from '../../accounts/users/user-routes.ts';
import { createUsers, type UserOutcome } from '../../accounts/users/users.ts';
import type { GivenValidity } from '../../accounts/users/validity.ts';
import { loadConfig, underStored } from '../../config/load-config.ts';
import { readNvrRoles } from '../../config/nvr-roles.ts';
import { formatProblems } from '../../config/problems/problems.ts';
import { rolesOfFile } from '../../config/schema/role-schema.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { storeAddress } from '../../config/schema/store-schema.ts';
import { MAKERS_WITHOUT_ACCOUNT } from '../../domain/accounts/invitation.ts';
import { addressMaker } from '../../domain/addresses/public-url.ts';
import type { Caller } from '../../domain/caller.ts';
import type { CommandPlace } from '../../domain/command-frame.ts';
import { COMMAND_LINE_CALLER } from '../../domain/credentials.ts';
import type { EventRecord } from '../../domain/events/event.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { StoredSettings } from '../../domain/stored-settings.ts';
import { bound, type CommandCall } from '../../routes/own-route.ts';
import { openNvrDatabase } from '../../store/nvr-database.ts';
import { readNvrUsers } from '../../store/nvr-users.ts';
import { openStore, type Store } from '../../store/open-store.ts';
import { openKnownStore } from '../resources/known-store.ts';
import { openFeaturesForCommand } from '../resources/open-features.ts';
import { passesAt } from './link-passes.ts';

export type CommandStore = Awaited<ReturnType<typeof openForCommands>>;

/** `isWhole`: with the address of the service; a path where `server.public_url` is not set. */
interface PageAddress {
  readonly url: string;
  readonly isWhole: boolean;
}

interface ImportOptions {
  /** The NVR's configuration; absent, it is looked for beside the database. */
  readonly config?: string | undefined;
  /** The role of users whose role nobody knows; absent, they see no camera. */
  readonly unknownRole?: string | undefined;
}

/** What a route of that shape answers. */
export type AnswerOf<Shape extends { readonly _zod: { readonly output: unknown } }> = Shape['_zod']['output'];

/**
 * What a command does to the store: one that reads or changes what is there makes neither a directory nor a
 * configuration nor a store.
 */
export type StoreUse = 'read' | 'change' | 'create';

/** Rejects with every problem of the configuration, or with why the store cannot be opened. */
export async function openForCommands(
  { directory, env, clock, warn = () => {} }: CommandPlace,
  use: StoreUse = 'create',
) {
  const whenMissing = use === 'create' ? 'write' : 'read';
  const read = (stored?: StoredSettings) => loadConfig({ directory, env, whenMissing, stored });
  const config = await read();
  if (config.kind === 'invalid') {
    throw new Error(formatProblems(config.file, config.problems));
  }
  if (use !== 'create') assertThere(config.settings);
  const url = storeAddress(config.settings.store.url);
  const { site } = config.settings.server;
  const store = await (use === 'read'
    ? openStore({ url, site, readOnly: true })
    : openKnownStore(directory, { url, site }));
  const { settings } = await underStored(config, store.settings, read);
  const features = openFeaturesForCommand({ store, settings, clock, warn });
  /** Writes an act into the ledger, done or refused (SPEC 14). */
  const audit: Audit = (entry) => features.note({ ...entry, who: undefined, from: AT_COMMAND_LINE });
  const tell = (act: AuditedAct, reason?: string): void => {
    const by = { who: undefined, from: AT_COMMAND_LINE };
    audit({ ...act, ...by, ...(reason === undefined ? { verdict: 'allowed' } : { verdict: 'refused', reason }) });
  };
  const told = async <Outcome extends Result<unknown, { readonly reason: string }>>(
    act: AuditedAct,
    doing: Promise<Outcome>,
  ): Promise<Outcome> => {
    const outcome = await doing;
    tell(act, outcome.ok ? undefined : outcome.error.reason);
    return outcome;
  };
  const hasher = createPasswordHasher({ iterations: settings.auth.hash_iterations, concurrency: 1, queue: 0 });
  const roleRegistry = createRoleRegistry({ store: store.roles, fixed: rolesOfFile(settings.auth) });
  const roles = roleRegistry.latest;
  const authEnabled = settings.auth.enabled;
  const accountDeps = { store: store.accounts, hasher, clock, roles, passwordRules: passwordRulesOf(settings) };
  const invitations = createInvitations({
    ...accountDeps,
    invitationStore: store.invitations,
    lifetime: settings.auth.invitation_lifetime,
  });
  const signIns = createSignInAdmin(store.signIns);
  const customRoles = createRoles({ store: store.accounts, roleStore: store.roles, roleRegistry });
  const blocks = createBlockAdmin({ store: store.loginBlocks, attempts: store.attempts, clock });
  /** What requests alone need is absent: no call of a command comes to it. */
  const services: unknown = {
    audit,
    bodySeconds: () => 0,
    recheck: async (caller: Caller) => caller,
    asksProof: () => false,
    store,
    clock,
    settings,
    blocks,
    hasher,
    users: createUsers(accountDeps),
    signIns,
    customRoles,
    screenUses: { flush: async () => {} },
  };
  const routes = bound<never>([...LIMIT_ROUTES, ...USER_ROUTES, ...SCREEN_ROUTES], services as never);
  /** Asks a route of the service in this process. Rejects with the sentence of a refusal. */
  const ask = async <Answer = unknown>(
    route: string,
    given: Pick<CommandCall, 'params' | 'body'> = {},
  ): Promise<Answer> => {
    const call = routes.find((one) => one.route === route)?.call;
    const answer = await call?.({ ...given, caller: COMMAND_LINE_CALLER, from: AT_COMMAND_LINE });
    if (!answer?.ok) throw new Error(answer?.error ?? `there is no route ${route}`);
    return answer.value as Answer;
  };
  const users = {
    /** All second factors and recovery codes. */
    resetFactors: (name: string) => told({ what: 'second-factor-removed', user: name }, resetFactors(name, store)),
    removeSignIn: (name: string, provider: string) =>
      told({ what: 'sign-in-removed', user: name, provider }, signIns.remove(name, provider)),
    forgetGuest: (provider: string, subject: string) =>
      told({ what: 'guest-forgotten', provider }, signIns.forget(provider, subject)),
    /** A link, good once, by which the user sets the own password. With a role the user is made. */
    invite: (name: string, role?: string, validity?: GivenValidity) =>
      told({ what: 'invitation-made', user: name }, invite({ name, role, validity }, invitations, settings)),
    /** Imports users from an NVR's own SQLite file. */
    async importFrom(path: string, { config, unknownRole }: ImportOptions = {}) {
      const { file, roles: ofNvr } = readNvrRoles(path, config);
      const iterations = settings.auth.hash_iterations;
      const recorded: ImportUsersDeps['customRoles'] = {
        async change(wanted) {
          const made = await customRoles.change(wanted);
          if (made.ok) for (const role of wanted.keys()) tell({ what: 'custom-role-changed', role });
          return made;
        },
      };
      const parts = { store: store.accounts, clock, roles, customRoles: recorded, iterations };
      const imported = await importUsers(await readNvrUsers(path), { roles: ofNvr, unknownRole }, parts);
      if (!imported.ok) throw new Error(imported.error);
      for (const { kind, name } of imported.value) if (kind === 'added') tell({ what: 'user-created', user: name });
      return { config: file, users: imported.value };
    },
  };
  const making = { store, clock, authEnabled, customRoles: roles };
  const passes = passesAt({ directory, env });
  const links = createLinkAdmin({ ...making, passes, longest: settings.links.max_lifetime });
  const apiTokens = createTokenAdmin(making);
  return {
    settings,
    ask,
    users,
    apiTokens: {
      list: apiTokens.list,
      async create(wanted: Parameters<TokenAdmin['create']>[0]) {
        const made = await apiTokens.create(wanted);
        const act = { what: 'token-created', user: wanted.user } as const;
        if (made.ok) tell({ ...act, tokenId: made.value.token.id });
        else tell(act, made.error.reason);
        return made;
      },
      async revoke(tokenId: string) {
        const outcome = await apiTokens.revoke(tokenId);
        if (outcome === 'deleted') tell({ what: 'token-revoked', tokenId });
        return outcome;
      },
    },
    /** What an address is limited as: itself and its network. */
    limitedAs: (address: string): readonly string[] =>
      isIP(address) === 0 ? [] : [clientKey(address), networkKey(address)],
    sites: store.sites,
    links: {
      list: links.list,
      async create(wanted: Parameters<LinkAdmin['create']>[0]) {
        const made = await links.create(wanted);
        const act = { what: 'link-created', user: wanted.user } as const;
        if (!made.ok) {
          tell(act, made.error.reason);
          return made;
        }
        tell({ ...act, linkId: made.value.link.id });
        return ok(addressOf(made.value.path, settings));
      },
      async revoke(linkId: string) {
        const outcome = await links.revoke(linkId);
        if (outcome === 'revoked') tell({ what: 'link-revoked', linkId });
        return outcome;
      },
    },
    /** Users who have a second factor. */
    usersWithFactor: () => store.secondFactor.listFactors(),
    listUsers: store.accounts.listUsers,
    /** `nvr.cameras`; undefined when it is not set. */
    knownCameras: settings.nvr.cameras as readonly string[] | undefined,
    writeEvents: (events: readonly EventRecord[]): Promise<void> => store.writeEvents(events),
    /** The NVR's own SQLite file, read-only. */
    openNvrDatabase,
    async close(): Promise<void> {
      await features.close();
      await store.close();
    },
  };
}

function addressOf(path: string, settings: Settings): PageAddress {
  const url = addressMaker(settings.server.public_url)(path);
  return { url: url ?? path, isWhole: url !== undefined };
}

async function resetFactors(name: string, { accounts, secondFactor }: Store): Promise<UserOutcome> {
  const user = await accounts.findUser(name);
  if (!user) return err({ reason: 'user-absent', message: 'User not found' });
  const outcome = await secondFactor.removeFactors(user.name, newEpoch());
  if (outcome === 'last') return ok(user.name);
  return err({ reason: 'factor-absent', message: `${name} has no second factor` });
}

async function invite(
  wanted: Pick<WantedInvitation, 'role' | 'validity'> & { readonly name: string },
  invitations: Invitations,
  settings: Settings,
): Promise<Result<PageAddress & { readonly expiresAt: number }, InvitationRefusal>> {
  if (!settings.auth.enabled) return err(NO_PASSWORDS);
  const made = await invitations.make({ ...wanted, user: wanted.name, madeBy: MAKERS_WITHOUT_ACCOUNT.commandLine });
  if (!made.ok) return made;
  const { path, expiresAt } = made.value;
  return ok({ ...addressOf(path, settings), expiresAt });
}

const NO_PASSWORDS = {
  reason: 'user-absent',
  message: 'auth.enabled is false: users log in at the authentication proxy, and have no password here',
} as const;

function assertThere({ store: { url } }: Settings): void {
  if (url.engine !== 'sqlite' || existsSync(url.file)) return;
  throw new Error(
    `there is no store at ${url.file}: name the directory of the service with --config-dir; the first "postern serve" makes the store`,
  );
}
