/** What a person whom a provider has named may do here: log in, get an account, connect one, accept an invitation (SPEC 16). */

import { FIRST_ADMIN } from '../../accounts/login/first-admin.ts';
import { connectInvited } from '../../accounts/login/login.ts';
import { unknownPassword } from '../../accounts/passwords/password-hash.ts';
import { digestSecrets } from '../../accounts/sessions/session-state.ts';
import type { SessionOrigin } from '../../accounts/sessions/sessions.ts';
import type { Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import { newSignIn, type SignIn } from '../../domain/accounts/sign-in.ts';
import type { Closed } from '../../domain/caller.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { parseNewUserName, type Role, type UserName } from '../../domain/names.ts';
import { PROOF_SECONDS, type ProviderIdentity } from './provider.ts';

/** How the accounts treat one provider. */
export interface SignInRules {
  readonly provider: string;
  /** Whether who has a role by it gets an account at the first login. */
  readonly creates: boolean;
  /** The roles that groups give, the first of them first; none: nothing gives a role. */
  readonly rolesOf: (groups: readonly string[]) => Promise<readonly Role[]>;
}

/** `user`: whose account it is about, for the log and the ledger. */
export type SignInOutcome =
  | { readonly kind: 'logged-in'; readonly user: User; readonly token: string }
  /** Postern's own second step is still owed. */
  | {
      readonly kind: 'second-step';
      readonly user: User;
      readonly origin: SessionOrigin;
      /** The digest of the invitation that is accepted with it. */
      readonly invitation?: string;
    }
  | { readonly kind: 'closed'; readonly user: User; readonly closed: Closed }
  /** No group of the person gives a role. */
  | { readonly kind: 'no-role'; readonly user?: UserName }
  /** The account was that of a guest, and is gone: no other is made without an invitation. */
  | { readonly kind: 'guest-over' }
  /** No account is connected, and none is made. */
  | { readonly kind: 'not-connected' }
  | { readonly kind: 'name-taken'; readonly name: string }
  /** The provider's name of the person makes no user name. */
  | { readonly kind: 'name-unfit' }
  | { readonly kind: 'connected'; readonly user: UserName }
  /** The person at the provider is connected with another account here, or the account with another person. */
  | { readonly kind: 'of-other' }
  | { readonly kind: 'invitation-void' }
  | { readonly kind: 'busy' };

/** What a provider changes is on record as an admin's change is (SPEC 14). Called when it is done, whatever comes after. */
export type NoteChange = (act: {
  readonly what: 'user-created' | 'role-changed' | 'session-ended' | 'invitation-used';
  readonly user: UserName;
  readonly provider?: string;
  readonly reason?: 'no-role';
}) => void;

export type SignIns = ReturnType<typeof createSignIns>;

export function createSignIns(
  deps: Pick<
    Services,
    'store' | 'sessions' | 'seenSessions' | 'invitations' | 'hasher' | 'secondFactor' | 'closedOf' | 'clock'
  >,
) {
  const { clock, sessions } = deps;
  const { accounts, signIns } = deps.store;

  /** A person who is known: the groups of now decide, where the role is the provider's. */
  const known = async (
    signIn: SignIn,
    identity: ProviderIdentity,
    rules: SignInRules,
    note: NoteChange,
  ): Promise<SignInOutcome> => {
    const user = await accounts.findUser(signIn.user);
    // It is still there behind the account: so it is that account's, and not that of a former one of the same name.
    const isThere = await signIns.noteUsed(signIn, unixSeconds(clock));
    if (!user || !isThere) return { kind: 'not-connected' };
    // The name of then: a provider that is called otherwise now goes on deciding, and another one of its name does not begin to.
    if (user.roleSource !== signIn.provider) return admitted(user, identity, rules);
    const roles = await rules.rolesOf(identity.groups);
    const outcome = await signIns.setProviderRoles(user.name, user.roleSource, roles, unixSeconds(clock));
    if (outcome === 'absent') return { kind: 'not-connected' };
    if (outcome === 'set') note({ what: 'role-changed', user: user.name });
    if (roles.length === 0) {
      const open = await deps.seenSessions.list(user.name);
      await Promise.all(open.map(({ id, expiresAt }) => sessions.revoke(id, expiresAt)));
      if (open.length > 0) note({ what: 'session-ended', user: user.name, reason: 'no-role' });
      return { kind: 'no-role', user: user.name };
    }
    return admitted(user, identity, rules);
  };

  const created = async (identity: ProviderIdentity, rules: SignInRules, note: NoteChange): Promise<SignInOutcome> => {
    if (!rules.creates) return { kind: 'not-connected' };
    if (await signIns.isClosed(identity.issuer, identity.subject)) return { kind: 'guest-over' };
    const [role, ...otherRoles] = await rules.rolesOf(identity.groups);
    if (role === undefined) return { kind: 'no-role' };
    const wanted = toAccountName(identity.userName);
    const name = parseNewUserName(
      wanted,
      (await accounts.listUsers()).map((user) => user.name),
    );
    if (wanted === '') return { kind: 'name-unfit' };
    // The account of that name is the one that is made at the first start: a name at a provider opens it to no person.
    if (!name.ok || name.value === FIRST_ADMIN) return { kind: 'name-taken', name: wanted };
    const hashed = await deps.hasher.hash(unknownPassword());
    if (hashed.kind === 'busy') return { kind: 'busy' };
    const createdAt = unixSeconds(clock);
    const user: User = {
      name: name.value,
      role,
      ...(otherRoles.length > 0 && { otherRoles }),
      roleSource: rules.provider,
      passwordHash: hashed.hash,
      hasNoPassword: true,
      passwordChangedAt: null,
      createdAt,
    };
    const outcome = await signIns.addUserWithSignIn(user, newSignIn(user.name, { ...identity, ...rules }, createdAt));
    switch (outcome) {
      case 'added':
        note({ what: 'user-created', user: user.name });
        return admitted(user, identity, rules);
      case 'taken':
        return { kind: 'name-taken', name: wanted };
      // Two first logins at once: the other one made the account.
      case 'connected':
        return logIn(identity, rules, note);
    }
  };

  /** The account may have been changed since it was read, or deleted, and made again. */
  const admitted = async (
    { name, createdAt }: Pick<User, 'name' | 'createdAt'>,
    identity: ProviderIdentity,
    rules: SignInRules,
  ): Promise<SignInOutcome> => {
    const user = await accounts.findUser(name);
    if (user?.createdAt !== createdAt) return { kind: 'not-connected' };
    const closed = await deps.closedOf(user);
    if (closed) return { kind: 'closed', user, closed };
    const origin = sessionOrigin(identity, rules, unixSeconds(clock));
    const wanted = identity.hasFactor ? [] : await deps.secondFactor.wantedFrom(user);
    if (wanted.length > 0) return { kind: 'second-step', user, origin: await sessions.announce(origin) };
    return { kind: 'logged-in', user, token: await sessions.issue(user, origin) };
  };

  const logIn = async (identity: ProviderIdentity, rules: SignInRules, note: NoteChange): Promise<SignInOutcome> => {
    const signIn = await signIns.findSignIn(identity.issuer, identity.subject);
    return signIn ? known(signIn, identity, rules, note) : created(identity, rules, note);
  };

  return {
    logIn,
    /** Connects the account of a person who is logged in: the one that was made then, and no other of its name. */
    async connect(
      { name, createdAt }: Pick<User, 'name' | 'createdAt'>,
      identity: ProviderIdentity,
      rules: SignInRules,
    ): Promise<SignInOutcome> {
      const outcome = await signIns.connect(newSignIn(name, { ...identity, ...rules }, unixSeconds(clock)), createdAt);
      if (outcome === 'absent') return { kind: 'not-connected' };
      return outcome === 'taken' ? { kind: 'of-other' } : { kind: 'connected', user: name };
    },
    /**
     * Uses the invitation up: its account is connected, and the person is logged in. An account that has a second factor here is
     * asked for it first, whatever the provider has seen.
     */
    async accept(
      token: string,
      identity: ProviderIdentity,
      rules: SignInRules,
      note: NoteChange,
    ): Promise<SignInOutcome> {
      const held = await deps.invitations.find(token);
      if (!held) return { kind: 'invitation-void' };
      const { secretHash } = held.invitation;
      const { name } = held.owner;
      if ((await deps.secondFactor.wantedFrom(held.owner)).length > 0) {
        if (await signIns.findSignIn(identity.issuer, identity.subject)) return { kind: 'of-other' };
        const origin = sessionOrigin({ ...identity, hasFactor: false }, rules, unixSeconds(clock));
        const announced = await sessions.announce(origin);
        return { kind: 'second-step', user: held.owner, origin: announced, invitation: secretHash };
      }
      const outcome = await connectInvited(name, sessionOrigin(identity, rules, unixSeconds(clock)), secretHash, deps);
      if (outcome !== 'accepted') return { kind: NOT_ACCEPTED[outcome] };
      note({ what: 'invitation-used', user: name, provider: rules.provider });
      return admitted(held.owner, identity, rules);
    },
  };
}

const NOT_ACCEPTED = { void: 'invitation-void', taken: 'of-other', busy: 'busy' } as const;

/** A login that the provider's own session answered proves nothing; one that the person has just made does. */
const sessionOrigin = (identity: ProviderIdentity, { provider }: SignInRules, now: number): SessionOrigin => ({
  provider,
  issuer: identity.issuer,
  subject: identity.subject,
  ...(identity.sid !== undefined && { sid: identity.sid }),
  ...(identity.hasFactor && { hasFactor: true }),
  ...(isFresh(identity, now) && { provenAt: now }),
});

/** Whether the person has proved at the provider, a moment ago, to be the person. */
export const isFresh = ({ authenticatedAt }: ProviderIdentity, now: number): boolean =>
  authenticatedAt !== undefined && Math.abs(now - authenticatedAt) <= PROOF_SECONDS;

const LONGEST_NAME = 30;

/** The user name for the provider's name of a person: other letters become dots, 30 characters at most. */
export const toAccountName = (name = ''): string => name.replaceAll(/[^A-Za-z0-9._]/gu, '.').slice(0, LONGEST_NAME);

/** Names what is meant by a ticket between the two steps: a change of password or factors ends it. */
export const loginStep = (user: User) => ({ user: user.name, secretsDigest: digestSecrets(user) });
