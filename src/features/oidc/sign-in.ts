/** What a person whom a provider has named may do here: log in, get an account, connect one, accept an invitation (SPEC 16). */

import type { DoneAct } from '../../accounts/http/kernel.ts';
import { findInvitation } from '../../accounts/invitations/invitations.ts';
import { FIRST_ADMIN } from '../../accounts/login/first-admin.ts';
import { connectInvited } from '../../accounts/login/login.ts';
import { unknownPassword } from '../../accounts/passwords/password-hash.ts';
import type { SessionOrigin } from '../../accounts/sessions/sessions.ts';
import type { Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import { newSignIn } from '../../domain/accounts/sign-in.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { parseNewUserName, type UserName } from '../../domain/names.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import type { SignIn } from '../../store/engine/tables.ts';
import { SignInFault } from './attempt.ts';
import { PROOF_SECONDS, type ProviderIdentity } from './provider.ts';
import type { ActiveProvider } from './providers.ts';

/** A person whom a provider has named. */
export interface NamedPerson {
  readonly active: ActiveProvider;
  readonly identity: ProviderIdentity;
  /** What a provider changes is on record as an admin's change is (SPEC 14). Called when it is done, whatever comes after. */
  readonly noteChange: (act: DoneAct & { readonly user: UserName }) => void;
  readonly deps: Pick<
    Services,
    'store' | 'sessions' | 'seenSessions' | 'hasher' | 'secondFactor' | 'closedOf' | 'clock'
  >;
}

/** All below end by a `SignInFault` where the person may not. */
export type SignedIn =
  | { readonly user: User; readonly token: string }
  /** Postern's own second step is still owed. `invitation`: the digest of the one that is accepted with it. */
  | { readonly user: User; readonly origin: SessionOrigin; readonly invitation?: string };

/** `who`: whose account it is about, for the log and the audit. */
export const refused = (reason: RefusalReason, who?: UserName, what: DoneAct['what'] = 'login'): SignInFault =>
  new SignInFault(reason, { what, who });

/** No account is connected, and none is made. */
export const NOT_CONNECTED = 'sign-in-not-connected';
/** The person at the provider is connected with another account here, or the account with another person. */
const OF_OTHER = 'sign-in-of-other';

export async function logIn(person: NamedPerson): Promise<SignedIn> {
  const { issuer, subject } = person.identity;
  const signIn = await person.deps.store.signIns.findSignIn(issuer, subject);
  return signIn ? known(signIn, person) : created(person);
}

/** A person who is known: the groups of now decide, where the role is the provider's. */
async function known(signIn: SignIn, person: NamedPerson): Promise<SignedIn> {
  const { active, identity, noteChange, deps } = person;
  const { accounts, signIns } = deps.store;
  const user = await accounts.findUser(signIn.user);
  // It is still there behind the account: so it is that account's, and not that of a former one of the same name.
  const isThere = await signIns.noteUsed(signIn, unixSeconds(deps.clock));
  if (!user || !isThere) throw refused(NOT_CONNECTED);
  // The name of then: a provider that is called otherwise now goes on deciding, and another one of its name does not begin to.
  if (user.roleSource !== signIn.provider) return admitted(user, person);
  const roles = await active.rolesOf(identity.groups);
  const outcome = await signIns.setProviderRoles(user.name, user.roleSource, roles, unixSeconds(deps.clock));
  if (outcome === 'absent') throw refused(NOT_CONNECTED);
  if (outcome === 'set') noteChange({ what: 'role-changed', user: user.name });
  if (roles.length > 0) return admitted(user, person);
  const open = await deps.seenSessions.list(user.name);
  await Promise.all(open.map(({ id, expiresAt }) => deps.sessions.revoke(id, expiresAt)));
  if (open.length > 0) noteChange({ what: 'session-ended', user: user.name, reason: 'no-role' });
  throw refused('sign-in-no-role', user.name);
}

async function created(person: NamedPerson): Promise<SignedIn> {
  const { active, identity, noteChange, deps } = person;
  const { accounts, signIns } = deps.store;
  if (!active.creates) throw refused(NOT_CONNECTED);
  // The account was that of a guest, and is gone: no other is made without an invitation.
  if (await signIns.isClosed(identity.issuer, identity.subject)) throw refused('sign-in-guest-over');
  const [role, ...otherRoles] = await active.rolesOf(identity.groups);
  if (role === undefined) throw refused('sign-in-no-role');
  const wanted = toAccountName(identity.userName);
  const others = (await accounts.listUsers()).map(({ name }) => name);
  const name = parseNewUserName(wanted, others);
  if (wanted === '') throw refused('sign-in-name-unfit');
  // The account of that name is the one that is made at the first start: a name at a provider opens it to no person.
  if (!name.ok || name.value === FIRST_ADMIN) throw refused('sign-in-name-taken');
  const passwordHash = await deps.hasher.hash(unknownPassword());
  if (passwordHash === undefined) throw refused('sign-in-busy');
  const createdAt = unixSeconds(deps.clock);
  const user: User = {
    name: name.value,
    role,
    ...(otherRoles.length > 0 && { otherRoles }),
    roleSource: active.name,
    passwordHash,
    hasNoPassword: true,
    passwordChangedAt: null,
    createdAt,
  };
  const outcome = await signIns.addUserWithSignIn(user, newSignIn(user.name, personAt(person), createdAt));
  if (outcome === 'taken') throw refused('sign-in-name-taken');
  // Two first logins at once: the other one made the account.
  if (outcome === 'connected') return logIn(person);
  noteChange({ what: 'user-created', user: user.name });
  return admitted(user, person);
}

/** The account may have been changed since it was read, or deleted, and made again. */
async function admitted({ name, createdAt }: Pick<User, 'name' | 'createdAt'>, person: NamedPerson): Promise<SignedIn> {
  const { identity, deps } = person;
  const user = await deps.store.accounts.findUser(name);
  if (user?.createdAt !== createdAt) throw refused(NOT_CONNECTED);
  const closed = await deps.closedOf(user);
  if (closed) throw refused(closed.reason, user.name);
  const origin = sessionOrigin(person);
  const wanted = identity.hasFactor ? [] : await deps.secondFactor.wantedFrom(user);
  if (wanted.length > 0) return { user, origin: await deps.sessions.announce(origin) };
  return { user, token: await deps.sessions.issue(user, origin) };
}

/** Connects the account of a person who is logged in: the one that was made then, and no other of its name. */
export async function connect(
  { name, createdAt }: Pick<User, 'name' | 'createdAt'>,
  person: NamedPerson,
): Promise<void> {
  const { store, clock } = person.deps;
  const outcome = await store.signIns.connect(newSignIn(name, personAt(person), unixSeconds(clock)), createdAt);
  if (outcome !== 'connected')
    throw refused(outcome === 'taken' ? OF_OTHER : NOT_CONNECTED, undefined, 'sign-in-connected');
}

/**
 * Uses the invitation up: its account is connected, and the person is logged in. An account that has a second factor here is
 * asked for it first, whatever the provider has seen.
 */
export async function accept(token: string, person: NamedPerson): Promise<SignedIn> {
  const { active, identity, noteChange, deps } = person;
  const held = await findInvitation(token, deps);
  if (!held) throw refused('sign-in-invitation-void');
  const { owner, invitation } = held;
  if ((await deps.secondFactor.wantedFrom(owner)).length > 0) {
    if (await deps.store.signIns.findSignIn(identity.issuer, identity.subject)) throw refused(OF_OTHER);
    const origin = await deps.sessions.announce(
      sessionOrigin({ ...person, identity: { ...identity, hasFactor: false } }),
    );
    return { user: owner, origin, invitation: invitation.secretHash };
  }
  const outcome = await connectInvited(owner.name, sessionOrigin(person), invitation.secretHash, deps);
  if (outcome !== 'accepted') throw refused(NOT_ACCEPTED[outcome]);
  noteChange({ what: 'invitation-used', user: owner.name, provider: active.name });
  return admitted(owner, person);
}

const NOT_ACCEPTED = { void: 'sign-in-invitation-void', taken: OF_OTHER, busy: 'sign-in-busy' } as const;

const personAt = ({ active: { name: provider }, identity: { issuer, subject } }: NamedPerson) => ({
  provider,
  issuer,
  subject,
});

/** A login that the provider's own session answered proves nothing; one that the person has just made does. */
const sessionOrigin = (person: NamedPerson): SessionOrigin => {
  const { identity, deps } = person;
  const now = unixSeconds(deps.clock);
  return {
    ...personAt(person),
    ...(identity.sid !== undefined && { sid: identity.sid }),
    ...(identity.hasFactor && { hasFactor: true }),
    ...(isFresh(identity, now) && { provenAt: now }),
  };
};

/** Whether the person has proved at the provider, a moment ago, to be the person. */
export const isFresh = ({ authenticatedAt }: ProviderIdentity, now: number): boolean =>
  authenticatedAt !== undefined && Math.abs(now - authenticatedAt) <= PROOF_SECONDS;

const LONGEST_NAME = 30;

/** The user name for the provider's name of a person: other letters become dots, 30 characters at most. */
export const toAccountName = (name = ''): string => name.replaceAll(/[^A-Za-z0-9._]/gu, '.').slice(0, LONGEST_NAME);
