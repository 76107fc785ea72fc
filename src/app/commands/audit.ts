/** Writes what the command line does to accounts into the ledger (SPEC 1, 14). */
import { AT_COMMAND_LINE, type Audit } from '../../accounts/audit.ts';
import type { AuditedAct } from '../../accounts/http/route-guards.ts';
import type { InvitationRefusal } from '../../accounts/invitations/invitations.ts';
import type { LinkAdmin, LinkAdminRefusal } from '../../accounts/links/link-admin.ts';
import { type BlockAdmin, liftOf } from '../../accounts/login/login-blocks.ts';
import type { TokenAdmin } from '../../accounts/tokens/token-admin.ts';
import type { SignInAdmin } from '../../accounts/users/sign-in-admin.ts';
import type { UserOutcome, Users } from '../../accounts/users/users.ts';
import type { GivenValidity } from '../../accounts/users/validity.ts';
import type { ImportedUser } from '../../domain/accounts/account.ts';
import type { UsedLink } from '../../domain/accounts/link.ts';
import type { Screen, ScreenStore } from '../../domain/accounts/screen.ts';
import { ok, type Result } from '../../domain/result.ts';

export interface InvitationLink {
  /** A path where `server.public_url` is not set. */
  readonly url: string;
  readonly isWhole: boolean;
  /** Unix seconds. */
  readonly expiresAt: number;
}

export interface ImportOptions {
  /** The NVR's configuration; absent, it is looked for beside the database. */
  readonly config?: string | undefined;
  /** The role of users whose role nobody knows; absent, they see no camera. */
  readonly unknownRole?: string | undefined;
}

export interface UserImport {
  /** The NVR's configuration that was read; undefined where none was found. */
  readonly config: string | undefined;
  readonly users: readonly ImportedUser[];
}

/** The users as commands know them. */
export interface CommandUsers extends Users {
  importFrom(path: string, options?: ImportOptions): Promise<UserImport>;
  resetFactors(name: string): Promise<UserOutcome>;
  /** The names of the providers of each user who has a sign-in. */
  signIns(): Promise<ReadonlyMap<string, readonly string[]>>;
  removeSignIn(name: string, provider: string): Promise<UserOutcome>;
  closedGuests: SignInAdmin['closed'];
  forgetGuest: SignInAdmin['forget'];
  /** A link by which the user sets the own password. With a role the user is made. */
  invite(name: string, role?: string, validity?: GivenValidity): Promise<Result<InvitationLink, InvitationRefusal>>;
}

export function auditedUsers(users: CommandUsers, audit: Audit): CommandUsers {
  return {
    list: users.list,
    add: (user) => told({ what: 'user-created', user: user.name }, users.add(user), audit),
    setPassword: (name, password) =>
      told({ what: 'password-changed', user: name }, users.setPassword(name, password), audit),
    setRole: (name, role) => told({ what: 'role-changed', user: name }, users.setRole(name, role), audit),
    setValidity: (name, validity) =>
      told({ what: 'validity-changed', user: name }, users.setValidity(name, validity), audit),
    remove: (name) => told({ what: 'user-deleted', user: name }, users.remove(name), audit),
    resetFactors: (name) => told({ what: 'second-factor-removed', user: name }, users.resetFactors(name), audit),
    signIns: users.signIns,
    removeSignIn: (name, provider) =>
      told({ what: 'sign-in-removed', user: name, provider }, users.removeSignIn(name, provider), audit),
    closedGuests: users.closedGuests,
    forgetGuest: (provider, subject) =>
      told({ what: 'guest-forgotten', provider }, users.forgetGuest(provider, subject), audit),
    invite: (name, role, validity) =>
      told({ what: 'invitation-made', user: name }, users.invite(name, role, validity), audit),
    async importFrom(path, options) {
      const imported = await users.importFrom(path, options);
      for (const { kind, name } of imported.users)
        if (kind === 'added') tell({ what: 'user-created', user: name }, audit);
      return imported;
    },
  };
}

export function auditedTokens(tokens: TokenAdmin, audit: Audit): TokenAdmin {
  return {
    list: tokens.list,
    async create(wanted) {
      const made = await tokens.create(wanted);
      const act = { what: 'token-created', user: wanted.user } as const;
      if (made.ok) tell({ ...act, tokenId: made.value.token.id }, audit);
      else tell(act, audit, made.error.reason);
      return made;
    },
    async revoke(tokenId) {
      const outcome = await tokens.revoke(tokenId);
      if (outcome === 'deleted') tell({ what: 'token-revoked', tokenId }, audit);
      return outcome;
    },
  };
}

export const auditedLimits = (limits: BlockAdmin, audit: Audit): BlockAdmin => ({
  list: limits.list,
  async lift(id) {
    const block = await limits.lift(id);
    if (block) tell(liftOf(block), audit);
    return block;
  },
});

/** A link for the command line: `isWhole` when the service's address is known. */
export interface CommandLinks {
  list(): Promise<readonly UsedLink[]>;
  create(wanted: Parameters<LinkAdmin['create']>[0]): Promise<Result<LinkAddress, LinkAdminRefusal>>;
  revoke(id: string): Promise<'revoked' | 'absent'>;
}

export interface LinkAddress {
  readonly url: string;
  readonly isWhole: boolean;
}

export function auditedLinks(
  links: LinkAdmin,
  addressOf: (path: string) => string | undefined,
  audit: Audit,
): CommandLinks {
  return {
    list: links.list,
    async create(wanted) {
      const made = await links.create(wanted);
      const act = { what: 'link-created', user: wanted.user } as const;
      if (!made.ok) {
        tell(act, audit, made.error.reason);
        return made;
      }
      const { link, path } = made.value;
      tell({ ...act, linkId: link.id }, audit);
      const url = addressOf(path);
      return ok({ url: url ?? path, isWhole: url !== undefined });
    },
    async revoke(linkId) {
      const outcome = await links.revoke(linkId);
      if (outcome === 'revoked') tell({ what: 'link-revoked', linkId }, audit);
      return outcome;
    },
  };
}

/** Screens for the command line. */
export interface CommandScreens {
  list(): Promise<readonly Screen[]>;
  revoke(id: string): Promise<'deleted' | 'absent'>;
}

export const auditedScreens = (screens: ScreenStore, audit: Audit): CommandScreens => ({
  list: () => screens.listScreens(),
  async revoke(screenId) {
    const screen = await screens.findScreen({ id: screenId });
    const outcome = await screens.deleteScreen(screenId);
    const named = screen && { user: screen.user, screen: screen.name };
    if (outcome === 'deleted') tell({ what: 'screen-revoked', screenId, ...named }, audit);
    return outcome;
  },
});

async function told<Outcome extends Result<unknown, { readonly reason: string }>>(
  act: AuditedAct,
  doing: Promise<Outcome>,
  audit: Audit,
): Promise<Outcome> {
  const outcome = await doing;
  tell(act, audit, outcome.ok ? undefined : outcome.error.reason);
  return outcome;
}

function tell(act: AuditedAct, audit: Audit, reason?: string): void {
  const by = { who: undefined, from: AT_COMMAND_LINE };
  audit(reason === undefined ? { ...act, ...by, verdict: 'allowed' } : { ...act, ...by, verdict: 'refused', reason });
}
