/** Opens the store and the accounts for the command line, beside a running server or without one (SPEC 1). */

import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import type { InvitationRefusal, Invitations, WantedInvitation } from '../../accounts/invitations/invitations.ts';
import { createLinkAdmin } from '../../accounts/links/link-admin.ts';
import { clientKey, networkKey } from '../../accounts/login/client-key.ts';
import { type BlockAdmin, createBlockAdmin } from '../../accounts/login/login-blocks.ts';
import { createPasswordHasher } from '../../accounts/passwords/password-hash.ts';
import { createRoleRegistry } from '../../accounts/roles/role-registry.ts';
import { createRoles } from '../../accounts/roles/roles.ts';
import { newEpoch } from '../../accounts/second-factor/second-factor.ts';
import { createTokenAdmin, type TokenAdmin } from '../../accounts/tokens/token-admin.ts';
import { importUsers } from '../../accounts/users/import-users.ts';
import { createSignInAdmin } from '../../accounts/users/sign-in-admin.ts';
import { createUsers, type UserOutcome } from '../../accounts/users/users.ts';
import type { GivenValidity } from '../../accounts/users/validity.ts';
import { loadConfig } from '../../config/load-config.ts';
import { readNvrRoles } from '../../config/nvr-roles.ts';
import { formatProblems } from '../../config/problems/problems.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { storeAddress } from '../../config/schema/store-schema.ts';
import { MAKERS_WITHOUT_ACCOUNT } from '../../domain/accounts/invitation.ts';
import type { UserFactors } from '../../domain/accounts/second-factor.ts';
import type { SiteStore } from '../../domain/accounts/site.ts';
import type { Clock } from '../../domain/clock.ts';
import type { EventRecord } from '../../domain/events/event.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { type NvrDatabase, openNvrDatabase } from '../../store/nvr-database.ts';
import { readNvrUsers } from '../../store/nvr-users.ts';
import { openStore, type Store } from '../../store/open-store.ts';
import { addressMaker, invitationsUnder } from '../accounts/invitations-of.ts';
import { passwordRulesOf } from '../accounts/password-rules-of.ts';
import { registryParts } from '../accounts/registry-parts.ts';
import { openCommandLedger } from '../ledger/command-ledger.ts';
import { openOutbox } from '../ledger/outbox.ts';
import { openKnownStore } from '../resources/known-store.ts';
import type { ImportOptions } from './audit.ts';
import {
  auditedLimits,
  auditedLinks,
  auditedScreens,
  auditedTokens,
  auditedUsers,
  type CommandLinks,
  type CommandScreens,
  type CommandUsers,
  type InvitationLink,
} from './audit.ts';
import { passesAt } from './link-passes.ts';

export interface CommandPlace {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Receives what a command could not do beside its work. Default: nothing is said. */
  readonly warn?: ((sentence: string) => void) | undefined;
}

export interface CommandStore {
  readonly settings: Settings;
  readonly users: CommandUsers;
  readonly apiTokens: TokenAdmin;
  readonly links: CommandLinks;
  readonly screens: CommandScreens;
  readonly limits: BlockAdmin;
  readonly sites: SiteStore;
  /** What an address is limited as: itself and its network. */
  limitedAs(address: string): readonly string[];
  /** Users who have a second factor. */
  usersWithFactor(): Promise<readonly UserFactors[]>;
  writeEvents(events: readonly EventRecord[]): Promise<void>;
  /** `nvr.cameras`; undefined when it is not set. */
  readonly knownCameras: readonly string[] | undefined;
  /** The NVR's own SQLite file, read-only. */
  openNvrDatabase(path: string): Promise<NvrDatabase>;
  close(): Promise<void>;
}

/**
 * What a command does to the store: one that reads or changes what is there makes neither a directory nor a
 * configuration nor a store.
 */
export type StoreUse = 'read' | 'change' | 'create';

/** Rejects with every problem of the configuration, or with why the store cannot be opened. */
export async function openForCommands(
  { directory, env, clock, warn = () => {} }: CommandPlace,
  use: StoreUse = 'create',
): Promise<CommandStore> {
  const config = await loadConfig({ directory, env, whenMissing: use === 'create' ? 'write' : 'read' });
  if (config.kind === 'invalid') {
    throw new Error(formatProblems(config.file, config.problems));
  }
  const { settings } = config;
  if (use !== 'create') assertThere(settings);
  const url = storeAddress(settings.store.url);
  const { site } = settings.server;
  const store = await (use === 'read'
    ? openStore({ url, site, readOnly: true })
    : openKnownStore(directory, { url, site }));
  const outbox = openOutbox(() => settings, {
    clock,
    onResult: () => {},
    onFailing: (cause) => warn(`notify.webhook was not told of it (${cause}); it stands on the page of the account`),
    onWorking: () => {},
    retrySeconds: RETRY_SECONDS,
  });
  const { enabled: isEnabled } = settings.ledger;
  const onWritten = outbox.sendNotices;
  const commandLedger = openCommandLedger({ ledger: store.ledger, isEnabled, clock, onWritten, warn });
  const audit = commandLedger.note;
  const hasher = createPasswordHasher({ iterations: settings.auth.hash_iterations, concurrency: 1, queue: 0 });
  const roleRegistry = createRoleRegistry({ store: store.roles, ...registryParts(settings, store) });
  const roles = roleRegistry.latest;
  const authEnabled = settings.auth.enabled;
  const accountDeps = { store: store.accounts, hasher, clock, roles, passwordRules: passwordRulesOf(settings) };
  const invitations = invitationsUnder(settings, { ...accountDeps, invitationStore: store.invitations });
  const signIns = createSignInAdmin(store.signIns);
  const users = {
    ...createUsers(accountDeps),
    resetFactors: (name: string) => resetFactors(name, store),
    signIns: signIns.byUser,
    removeSignIn: signIns.remove,
    closedGuests: signIns.closed,
    forgetGuest: signIns.forget,
    invite: (name: string, role?: string, validity?: GivenValidity) =>
      invite({ name, role, validity }, invitations, settings),
    async importFrom(path: string, { config, unknownRole }: ImportOptions = {}) {
      const { file, roles: ofNvr } = readNvrRoles(path, config);
      const customRoles = createRoles({ store: store.accounts, roleStore: store.roles, roleRegistry });
      const iterations = settings.auth.hash_iterations;
      const parts = { store: store.accounts, clock, roles, customRoles, iterations };
      const imported = await importUsers(await readNvrUsers(path), { roles: ofNvr, unknownRole }, parts);
      if (!imported.ok) throw new Error(imported.error);
      return { config: file, users: imported.value };
    },
  };
  const linkDeps = {
    linkStore: store.links,
    store: store.accounts,
    clock,
    authEnabled,
    passes: passesAt({ directory, env }),
  };
  const links = createLinkAdmin({ ...linkDeps, longest: settings.links.max_lifetime });
  const apiTokens = createTokenAdmin({
    tokenStore: store.apiTokens,
    store: store.accounts,
    clock,
    roles,
    sites: roleRegistry.sites,
    authEnabled,
  });
  return {
    settings,
    users: auditedUsers(users, audit),
    apiTokens: auditedTokens(apiTokens, audit),
    limits: auditedLimits(createBlockAdmin({ store: store.loginBlocks, attempts: store.attempts, clock }), audit),
    limitedAs: (address) => (isIP(address) === 0 ? [] : [clientKey(address), networkKey(address)]),
    sites: store.sites,
    links: auditedLinks(links, addressMaker(settings), audit),
    screens: auditedScreens(store.screens, audit),
    usersWithFactor: () => store.secondFactor.listFactors(),
    knownCameras: settings.nvr.cameras,
    writeEvents: store.writeEvents,
    openNvrDatabase,
    async close() {
      await commandLedger.close();
      await store.close();
      await outbox.settled();
    },
  };
}

/** A person waits for the command: one more try, and no more. */
const RETRY_SECONDS = [1] as const;

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
): Promise<Result<InvitationLink, InvitationRefusal>> {
  if (!settings.auth.enabled) return err(NO_PASSWORDS);
  const made = await invitations.make({ ...wanted, user: wanted.name, madeBy: MAKERS_WITHOUT_ACCOUNT.commandLine });
  if (!made.ok) return made;
  const { path, expiresAt } = made.value;
  const url = addressMaker(settings)(path);
  return ok({ url: url ?? path, isWhole: url !== undefined, expiresAt });
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
