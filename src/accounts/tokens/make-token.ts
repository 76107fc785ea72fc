/** Making an API token: the same rules for the API and the command line (SPEC 4.4). */
import type { ApiToken, ApiTokenStore } from '../../domain/accounts/api-token.ts';
import { type CustomRoles, wildcardsFault } from '../../domain/camera-scope.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { ADMIN, type Role, type UserName, VIEWER } from '../../domain/names.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { LONGEST_PLAIN_NAME, plainName } from '../../domain/text/plain-name.ts';
import { cameraEntriesIn } from '../http/body-fields.ts';
import { mayGive, newTokenText } from './api-tokens.ts';

export interface MakeTokenDeps {
  readonly tokenStore: Pick<ApiTokenStore, 'addToken' | 'listTokens'>;
  readonly clock: Clock;
  readonly roles: () => CustomRoles | Promise<CustomRoles>;
}

/** A token as it was asked for, not yet checked. Null is as good as absent, but for `expiresAt`. */
export interface WantedToken {
  readonly name: unknown;
  readonly role?: unknown;
  readonly cameras?: unknown;
  /** Unix seconds. Null: it never ends; absent: it never ends for an account, and after 90 days for a proxy's user. */
  readonly expiresAt?: unknown;
  readonly managesAccounts?: unknown;
  /** Whether the login takes it in the place of the password. */
  readonly logsIn?: unknown;
  /** `["curtain"]`: it draws and opens the curtain, and does nothing else. */
  readonly rights?: unknown;
}

export interface TokenOwner {
  readonly name: UserName;
  readonly role: Role;
  /** The creation of the account, where there is one. */
  readonly createdAt: number | null;
}

export interface MadeToken {
  /** Shown once. */
  readonly text: string;
  readonly token: ApiToken;
}

export interface TokenRefusal {
  readonly reason:
    | 'name-invalid'
    | 'role-unknown'
    | 'role-too-high'
    | 'cameras-invalid'
    | 'expiry-invalid'
    | 'accounts-invalid'
    | 'accounts-not-admin'
    | 'login-invalid'
    | 'login-without-account'
    | 'rights-invalid'
    | 'rights-not-admin'
    | 'too-many';
  readonly message: string;
}

/** Nothing here learns that a proxy's user has left, so a token made without an end gets one. */
const PROXY_TOKEN_SECONDS = 90 * 86_400;
/** The most tokens of one owner. */
const MOST_TOKENS = 100;
const MOST_CAMERA_ENTRIES = 200;
/** Each `*` more makes a hostile pattern slower to match by the length of a name. */
const MOST_STARS = 2;

export async function makeToken(
  wanted: WantedToken,
  owner: TokenOwner,
  { tokenStore, clock, roles }: MakeTokenDeps,
): Promise<Result<MadeToken, TokenRefusal>> {
  const now = unixSeconds(clock);
  const name = nameOf(wanted.name);
  if (!name.ok) return name;
  const role = roleOf(wanted.role ?? owner.role, owner.role, await roles());
  if (!role.ok) return role;
  const cameras = camerasOf(wanted.cameras ?? null);
  if (!cameras.ok) return cameras;
  const byDefault = owner.createdAt === null ? now + PROXY_TOKEN_SECONDS : null;
  const expiresAt = expiryOf(wanted.expiresAt === undefined ? byDefault : wanted.expiresAt, now);
  if (!expiresAt.ok) return expiresAt;
  const managesAccounts = managingOf(wanted.managesAccounts ?? false, role.value, cameras.value);
  if (!managesAccounts.ok) return managesAccounts;
  const logsIn = loginOf(wanted.logsIn ?? false, owner);
  if (!logsIn.ok) return logsIn;
  const isForCurtain = curtainOf(wanted, role.value, cameras.value);
  if (!isForCurtain.ok) return isForCurtain;
  const { length } = await tokenStore.listTokens(owner.name);
  if (length >= MOST_TOKENS) return refused('too-many', `${owner.name} has ${length} API tokens already: revoke one`);
  const { text, id, secretHash } = newTokenText();
  const uses = { lastUsedAt: null, lastUsedFrom: null };
  const more = {
    managesAccounts: managesAccounts.value,
    ...(logsIn.value && { logsIn: true as const }),
    ...(isForCurtain.value && { isForCurtain: true as const }),
  };
  const rights = { role: role.value, cameras: cameras.value, expiresAt: expiresAt.value, ...more };
  const mine = { user: owner.name, userCreatedAt: owner.createdAt };
  const token = { id, secretHash, name: name.value, ...mine, ...rights, createdAt: now, ...uses };
  await tokenStore.addToken(token);
  return ok({ text, token });
}

const refused = (reason: TokenRefusal['reason'], message: string) => err({ reason, message });

function nameOf(given: unknown): Result<string, TokenRefusal> {
  const name = plainName(given);
  return name === undefined
    ? refused('name-invalid', `A token needs a name of 1 to ${LONGEST_PLAIN_NAME} characters`)
    : ok(name);
}

function roleOf(wanted: unknown, own: Role, roles: CustomRoles): Result<Role, TokenRefusal> {
  const known = [...roles.keys(), ADMIN, VIEWER];
  const role = known.find((candidate) => candidate === wanted);
  if (role === undefined) return refused('role-unknown', `Role must be one of: ${known.join(', ')}`);
  return mayGive(own, role) ? ok(role) : refused('role-too-high', `The role ${own} cannot give the role ${role}`);
}

function camerasOf(wanted: unknown): Result<readonly string[] | null, TokenRefusal> {
  if (wanted === null) return ok(null);
  if (!Array.isArray(wanted) || wanted.length === 0 || wanted.length > MOST_CAMERA_ENTRIES) {
    return refused('cameras-invalid', `cameras: give a list of 1 to ${MOST_CAMERA_ENTRIES} names, or none for all`);
  }
  const cameras = cameraEntriesIn(wanted);
  if (!cameras.ok) return refused('cameras-invalid', `cameras: ${cameras.error}`);
  const starred = cameras.value.find((camera) => camera.split('*').length > MOST_STARS + 1);
  if (starred !== undefined) return refused('cameras-invalid', `cameras: "${starred}" has more than ${MOST_STARS} "*"`);
  const fault = wildcardsFault(cameras.value);
  return fault === undefined ? cameras : refused('cameras-invalid', `cameras: the list ${fault}`);
}

function managingOf(wanted: unknown, role: Role, cameras: readonly string[] | null): Result<boolean, TokenRefusal> {
  if (typeof wanted !== 'boolean') return refused('accounts-invalid', 'manage_accounts: give true or false');
  const isAdmin = role === ADMIN && cameras === null;
  return !wanted || isAdmin
    ? ok(wanted)
    : refused(
        'accounts-not-admin',
        'manage_accounts: only a token of the role admin, for all cameras, manages accounts',
      );
}

function loginOf(wanted: unknown, owner: TokenOwner): Result<boolean, TokenRefusal> {
  if (typeof wanted !== 'boolean') return refused('login-invalid', 'login: give true or false');
  return wanted && owner.createdAt === null
    ? refused('login-without-account', 'login: a user of the proxy has no login here')
    : ok(wanted);
}

/** Whether the token is for the curtain: it has that by the role of its owner, and ends with that. No other right stands beside it. */
function curtainOf(
  { rights, managesAccounts, logsIn }: WantedToken,
  role: Role,
  cameras: readonly string[] | null,
): Result<boolean, TokenRefusal> {
  if (rights === undefined || rights === null) return ok(false);
  if (!Array.isArray(rights) || rights.length !== 1 || rights[0] !== CURTAIN)
    return refused('rights-invalid', `rights: give ["${CURTAIN}"], or leave it out`);
  if (role !== ADMIN)
    return refused('rights-not-admin', 'rights: only a token of the role admin draws and opens the curtain');
  return cameras === null && managesAccounts !== true && logsIn !== true
    ? ok(true)
    : refused(
        'rights-invalid',
        `rights: a token for the ${CURTAIN} has no cameras, manage_accounts or login: leave them out`,
      );
}

const CURTAIN = 'curtain';

function expiryOf(wanted: unknown, now: number): Result<number | null, TokenRefusal> {
  if (wanted === null) return ok(null);
  if (!Number.isSafeInteger(wanted)) return refused('expiry-invalid', 'expires_at: give whole Unix seconds');
  return Number(wanted) > now
    ? ok(Number(wanted))
    : refused('expiry-invalid', 'expires_at: that time has passed already');
}
