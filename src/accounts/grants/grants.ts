/**
 * Grants. Each is a secret of 256 bits of which the store has the digest, made by a person, worth at most
 * what its maker is worth now, with an end and a revocation that act on the next request (SPEC 4.4, 13, 18).
 */
import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import type { GrantMaker, GrantUse } from '../../domain/accounts/grant.ts';
import type { MaybePromise } from '../../domain/async.ts';
import { upTo } from '../../domain/bounded.ts';
import { type Caller, isAdministrator, type Verdict } from '../../domain/caller.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { mayManageAccounts, traitsFor } from '../../domain/credentials.ts';
import type { Role, UserName } from '../../domain/names.ts';
import { type ActiveRoles, heldBy, rightsOfRole, rightsOfUser } from '../../domain/rights.ts';
import type { RouteContext } from '../../routes/own-route.ts';
import type { Granted, GrantKind, Grants } from '../../store/engine/tables.ts';
import type { Store } from '../../store/open-store.ts';
import { createCoalescedWrites } from '../coalesced-writes.ts';
import { type Call, Refused, unfit } from '../http/kernel.ts';
import type { LimiterPlace } from '../login/login-limiter.ts';
import type { StoreGrace } from '../sessions/store-grace.ts';

/** What grants are judged by. */
export interface GrantServices extends Pick<Services, 'clock' | 'grants' | 'authEnabled'> {
  readonly store: Pick<Store, 'accounts' | 'grants'>;
  readonly roles: () => MaybePromise<ActiveRoles>;
  /** The user must set up a second factor before anything else. */
  readonly owesFactor: (user: User) => boolean;
  /** The caller that the API token of that id stands for now; undefined when it no longer holds. */
  readonly callerOfToken: (id: string) => Promise<Caller | undefined>;
}

const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;
const ID_BYTES = 8;
const REMEMBERED = 5000;

export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');
/** Names the grant in lists and logs; it opens nothing. */
export const newGrantId = (): string => randomBytes(ID_BYTES).toString('hex');

/** Undefined for a text that is no such secret. A plain hash will do: 256 bits cannot be guessed. */
export const secretHash = (secret: string): string | undefined =>
  SECRET.test(secret) ? hash('sha256', secret, 'base64url') : undefined;

/** A new secret, to be shown once, and what is kept of it. */
export function newGrant(): { readonly id: string; readonly secret: string; readonly secretHash: string } {
  const secret = newSecret();
  return { id: newGrantId(), secret, secretHash: secretHash(secret) ?? '' };
}

/** Grants and their users as the store has them, remembered. Unknown grants are not: they would evict real ones. */
export function createGrantMemory({
  store,
  grace,
  clock,
}: Pick<GrantServices, 'store' | 'clock'> & { readonly grace: StoreGrace }) {
  const known = grace.memory<Grants[GrantKind] | undefined>(REMEMBERED, {
    rowsOf: (_, grant) => [`grants ${grant?.id}`],
    isKept: (grant) => grant !== undefined,
  });
  const users = grace.memory<User | undefined>(REMEMBERED, { rowsOf: (name) => [`users ${name}`] });
  const ended = new LRUCache<string, true>(upTo(REMEMBERED));
  return {
    find: <Kind extends GrantKind>(
      kind: Kind,
      by: { readonly id: string } | { readonly secretHash: string },
    ): MaybePromise<Grants[Kind] | undefined> => {
      const key = 'id' in by ? `${kind} id ${by.id}` : `${kind} ${by.secretHash}`;
      return known(key, () => store.grants.find(kind, by)) as MaybePromise<Grants[Kind] | undefined>;
    },
    user: (name: string): MaybePromise<User | undefined> => users(name, () => store.accounts.findUser(name)),
    /** Whether a grant is over: one whose end this process has seen stays so when the clock is set back. */
    isOver({ id, expiresAt }: Pick<Grants[GrantKind], 'id' | 'expiresAt'>): boolean {
      if (expiresAt !== null && expiresAt <= unixSeconds(clock)) ended.set(id, true);
      return ended.has(id);
    },
  };
}

/** Notes the last use of grants. */
export function createGrantUses(
  { store, clock }: Pick<GrantServices, 'store' | 'clock'>,
  onFault: (fault: unknown) => void,
) {
  const uses = createCoalescedWrites<GrantUse>({ write: store.grants.noteUses, clock, onFault });
  return { ...uses, note: (id: string, from: string) => uses.note(id, () => ({ id, at: unixSeconds(clock), from })) };
}

export type GrantUses = ReturnType<typeof createGrantUses>;

export type MakerRights = Omit<Caller, 'credential'>;

/** What makers are worth now, and what closes their account or role at the moment. Undefined: the maker is gone. */
export function createMakers(services: Omit<GrantServices, 'store'>) {
  const { clock, grants, roles, authEnabled, owesFactor, callerOfToken } = services;
  return async (maker: GrantMaker): Promise<MakerRights | undefined> => {
    if (maker.tokenId !== null) return endingWithToken(await callerOfToken(maker.tokenId));
    const { user: name, userCreatedAt, role } = maker;
    const now = unixSeconds(clock);
    if (userCreatedAt === null) {
      // Nothing here learns what became of a proxy's user; with accounts of its own, Postern knows no such user.
      return authEnabled ? undefined : { name, ...rightsOfRole(role, await roles(), now) };
    }
    const user = await grants.user(name);
    // A user made again under the same name is another user.
    if (!authEnabled || user?.createdAt !== userCreatedAt || owesFactor(user)) return undefined;
    return { name, ...rightsOfUser(user, await roles(), now), ...(user.otherRoles && { roles: heldBy(user) }) };
  };
}

/** What is shown by it must end by the clock when its maker's token does: open streams look at it. */
function endingWithToken(caller: Caller | undefined): MakerRights | undefined {
  if (caller?.credential.kind !== 'api-token') return undefined;
  const { expiresAt } = caller.credential;
  if (expiresAt === undefined) return caller;
  return { ...caller, changesAt: Math.min(expiresAt, caller.changesAt ?? Number.POSITIVE_INFINITY) };
}

/** Limits bad secrets by address. A good one passes, however many bad ones come from there: others may be behind the same router. */
export async function limitedWhenBad<Fault>(
  verdict: Verdict<Fault>,
  address: string,
  limiter: { reserve(address: string): MaybePromise<LimiterPlace> },
): Promise<Verdict<Fault | 'limited'>> {
  if (verdict.kind === 'valid') return verdict;
  const place = await limiter.reserve(address);
  if (place.kind !== 'reserved') return { kind: 'invalid', reason: 'limited' };
  place.keep();
  return verdict;
}

export const refusedUntil = (seconds: number): Refused =>
  new Refused(429, ['rate-limited', { seconds }], `Too many attempts: try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  });

/** The end that is asked for in that field, in Unix seconds; null: none. Refuses by a `Refused`. */
export function grantEnd(field: 'expires_at' | 'ends_at', wanted: unknown, now: number): number | null {
  if (wanted === undefined || wanted === null) return null;
  const reason = field === 'expires_at' ? 'expiry-invalid' : 'end-invalid';
  if (!Number.isSafeInteger(wanted)) throw unfit(reason, `${field}: give whole Unix seconds`);
  if (Number(wanted) <= now) throw unfit(reason, `${field}: that time has passed already`);
  return Number(wanted);
}

/** The address of the page at that path, to be shown once; while `server.public_url` is not set, the path, and a note of that. */
export function shownAddress(
  path: string,
  ctx: RouteContext | undefined,
  publicAddressOf: (path: string) => string | undefined,
): { readonly url: string; readonly note?: string } {
  const url = publicAddressOf(path);
  return url === undefined ? { url: `${ctx?.state.basePath ?? ''}${path}`, note: NO_ADDRESS } : { url };
}

const NO_ADDRESS = 'server.public_url is not set: put the address of this service in front of the path';

/** Whether the caller knows, changes and revokes the grants of all users. */
const seesAll = (caller: Caller, kind: GrantKind): boolean =>
  isAdministrator(caller) && (kind === 'api-token' || mayManageAccounts(caller));

/** A token knows itself and the links that were made by it. A proxy's user and an account of the same name are two people. */
function mayKnow(caller: Caller, kind: GrantKind, grant: Grants[GrantKind]): boolean {
  if (seesAll(caller, kind)) return true;
  const { name, credential } = caller;
  if (credential.kind === 'api-token')
    return [grant.id, 'tokenId' in grant && grant.tokenId].includes(credential.tokenId);
  const isAsSession = credential.kind === 'session' || (credential.kind === 'view-as' && kind === 'api-token');
  return grant.user === name && (grant.userCreatedAt === null ? credential.kind === 'proxy-headers' : isAsSession);
}

/** Adds the grant. `most`: of one user. */
export async function keepGrant<Kind extends GrantKind>(
  kind: Kind,
  grant: Grants[Kind],
  most: number,
  { store }: { readonly store: Pick<GrantServices['store'], 'grants'> },
): Promise<void> {
  const outcome = await store.grants.add(kind, grant, most);
  if (outcome !== 'added') throw notKept(outcome, kind, grant, most);
}

export const notKept = (outcome: 'absent' | 'too-many', kind: GrantKind, grant: Granted, most: number): Refused =>
  outcome === 'too-many'
    ? unfit(
        ['too-many', { most }],
        `${grant.user} has ${most} ${kind.replace('api-token', 'API token')}s already: revoke ${kind === 'api-token' ? 'one' : 'some'}`,
        409,
      )
    : unfit('maker-gone', `The account${'tokenId' in grant ? ' or the API token' : ''} does not exist any more`, 403);

/** Whose a grant becomes: a person's, an API token's, or that of the user whom a command names. `unknown`: the role of one whom a proxy alone knows. */
export async function findMaker(
  { caller: { name: user, role, credential }, owner = '', note }: Call<unknown>,
  unknown: Role,
  { store, settings }: ListServices & Pick<Services, 'settings'>,
): Promise<GrantMaker | undefined> {
  switch (traitsFor(credential).madeBy) {
    case 'account': {
      const account = await store.accounts.findUser(user);
      return account && { user, userCreatedAt: account.createdAt, tokenId: null, role };
    }
    case 'token': {
      const id = credential.kind === 'api-token' ? credential.tokenId : '';
      const token = await store.grants.find('api-token', { id });
      return token && { user, userCreatedAt: token.userCreatedAt, tokenId: token.id, role };
    }
    case 'proxy':
      return { user, userCreatedAt: null, tokenId: null, role };
    case 'command': {
      const name = owner as UserName;
      note({ user: name });
      if (!settings.auth.enabled) return { user: name, userCreatedAt: null, tokenId: null, role: unknown };
      const account = await store.accounts.findUser(name);
      if (!account) throw unfit('user-absent', `There is no user ${name}: "postern users list" shows all`, 404);
      return { user: name, userCreatedAt: account.createdAt, tokenId: null, role: account.role };
    }
    case undefined:
      return undefined;
  }
}

type ListServices = Pick<GrantServices, 'store'>;

/** The grants that the caller knows: the own ones, for an admin those of all users. `grantUses`: of kinds whose last use is noted. */
export async function knownGrants<Kind extends GrantKind>(
  kind: Kind,
  caller: Caller,
  { store, grantUses }: ListServices & { readonly grantUses?: Pick<GrantUses, 'flush'> },
): Promise<readonly Grants[Kind][]> {
  // So that the list shows the last use.
  await grantUses?.flush();
  const grants = await store.grants.list(kind, seesAll(caller, kind) ? undefined : caller.name);
  return grants.filter((grant) => mayKnow(caller, kind, grant));
}

export const absentGrant = (kind: GrantKind): Refused =>
  new Refused(404, 'absent', `There is no such ${kind.replace(/^api-/, '')}`);

/** The grant of the path. That of another user answers 404, as an unknown one does. */
export async function knownGrant<Kind extends GrantKind>(
  kind: Kind,
  { caller, params }: Call,
  { store }: ListServices,
): Promise<Grants[Kind]> {
  const grant = await store.grants.find(kind, { id: params['id'] ?? '' });
  if (!grant || !mayKnow(caller, kind, grant)) throw absentGrant(kind);
  return grant;
}

export async function revokeGrant<Kind extends GrantKind>(
  kind: Kind,
  call: Call,
  services: ListServices & Pick<GrantServices, 'clock'>,
): Promise<Grants[Kind]> {
  const grant = await knownGrant(kind, call, services);
  const { store, clock } = services;
  if ((await store.grants.revoke(kind, { id: grant.id }, unixSeconds(clock))) === 'absent') throw absentGrant(kind);
  return grant;
}
