/** `/api/tokens` and `postern tokens`: API tokens are made, listed and revoked: the caller's own, for an admin those of all users (SPEC 4.4). */
import { z } from 'zod';
import type { ApiToken } from '../../domain/accounts/api-token.ts';
import { type Caller, isAdministrator, withoutDrawn } from '../../domain/caller.ts';
import { type CustomRoles, wildcardsFault } from '../../domain/camera-scope.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { mayManageAccounts } from '../../domain/credentials.ts';
import { ADMIN, type Role, type UserName, VIEWER } from '../../domain/names.ts';
import { BODY_LIMITS } from '../../domain/read-body.ts';
import { LONGEST_PLAIN_NAME, plainName } from '../../domain/text.ts';
import { BODY_NO, CAMERAS, named, SUCCESS, TIME } from '../../routes/shapes.ts';
import { type GrantServices, unfit } from '../grants/grants.ts';
import { FOR_CURTAIN, MADE_TOKEN, TOKEN } from '../http/answers.ts';
import { cameraEntriesIn, ROLE_GIVEN } from '../http/json-body.ts';
import { type AccountResponseDeps, asResult, type Call, declaring, Refused, refusedFor } from '../http/kernel.ts';
import { mayGive, newTokenText, type TokenVerifier } from './api-tokens.ts';

/** What tokens are made with. */
export interface TokenMaking extends Pick<GrantServices, 'clock'> {
  readonly store: Pick<GrantServices['store'], 'accounts' | 'apiTokens'>;
  readonly customRoles: () => CustomRoles | Promise<CustomRoles>;
}

type RouteServices = AccountResponseDeps & TokenMaking & { readonly tokenVerifier: Pick<TokenVerifier, 'flush'> };

/** Any other field is refused: a misspelt `expires_at` must not become a token without an end. */
const NEW_TOKEN = named(
  'NewToken',
  z.object({
    name: z.string().min(1).max(100),
    role: z.string().optional().meta(ROLE_GIVEN),
    cameras: CAMERAS.nullish().meta({ description: 'null: all' }),
    expires_at: TIME.nullish(),
    manage_accounts: z.boolean().optional().meta({ description: 'Of an admin: the token may manage accounts' }),
    login: z.boolean().optional().meta({ description: 'POST /api/login takes it in the place of the password' }),
    rights: z.array(z.literal('curtain')).nullish().meta(FOR_CURTAIN),
  }),
);

const route = declaring<RouteServices>();

// biome-ignore format: a table
export const TOKEN_ROUTES = [
  route({ route: 'GET /api/tokens', access: 'any', note: "the caller's own; for an admin all", summary: "One's own API tokens; as an admin, all", yes: [200, z.array(TOKEN)], run: list }),
  route({ route: 'POST /api/tokens', access: 'any', writes: true, note: "never above the maker's own role", summary: 'Create an API token', body: NEW_TOKEN, reads: 'names', bytes: BODY_LIMITS.cameraList, yes: [201, MADE_TOKEN], no: [...BODY_NO, 409], act: 'token-created',
    before: async ({ caller, prove }, services) => {
      await ownerOf(caller, services);
      prove('credentials');
    },
    run: create }),
  route({ route: 'DELETE /api/tokens/{id}', access: 'any', writes: true, note: "the caller's own; for an admin any", summary: 'Revoke an API token', yes: [200, SUCCESS], no: [404], act: 'token-revoked', run: revoke }),
];

async function create({ caller, body, note }: Call<WantedToken>, services: RouteServices): Promise<object> {
  const { text, token } = await makeToken(body, await ownerOf(caller, services), services);
  note({ tokenId: token.id });
  const { id, name, role, cameras, expiresAt: expires_at } = token;
  return { id, token: text, name, role, cameras, ...rightOf(token), expires_at };
}

/** Whose token a new one becomes: of a person, or of the owner of a token that manages accounts. */
async function ownerOf(caller: Caller, { store }: RouteServices): Promise<TokenOwner> {
  const { name, role, credential } = caller;
  const none = new Refused(403, 'An API token belongs to a user: log in, and create it as that user');
  if (credential.kind === 'internal-listener' || !mayManageAccounts(caller)) throw none;
  const hasAccount =
    credential.kind === 'api-token'
      ? ((await store.apiTokens.findToken(credential.tokenId))?.userCreatedAt ?? null) !== null
      : credential.kind === 'session';
  if (!hasAccount) return { name, role, createdAt: null };
  const user = await store.accounts.findUser(name);
  if (!user) throw none;
  return { name, role, createdAt: user.createdAt };
}

async function list({ caller }: Call, { store, tokenVerifier }: RouteServices): Promise<object> {
  await tokenVerifier.flush();
  const tokens = await store.apiTokens.listTokens(isAdministrator(caller) ? undefined : caller.name);
  return tokens
    .filter((token) => mayKnow(caller, token))
    .map((token) => ({ ...shown(token), cameras: withoutDrawn(token.cameras, caller) }));
}

/** A token knows itself, and an admin's token all. A proxy's user and an account of the same name are two people. */
function mayKnow(caller: Caller, token: ApiToken): boolean {
  if (isAdministrator(caller)) return true;
  const { name, credential } = caller;
  if (credential.kind === 'api-token') return token.id === credential.tokenId;
  return token.user === name && (token.userCreatedAt === null) === (credential.kind === 'proxy-headers');
}

/** The token of another user answers 404, as an unknown one does. */
async function revoke({ caller, params, note }: Call, { store }: RouteServices): Promise<void> {
  const { id = '' } = params;
  const token = await store.apiTokens.findToken(id);
  if (!token || !mayKnow(caller, token)) throw new Refused(404, 'There is no such token');
  const isItself = caller.credential.kind === 'api-token' && caller.credential.tokenId === id;
  if (!isItself && !mayManageAccounts(caller)) throw refusedFor('person-needed');
  await store.apiTokens.deleteToken(id);
  note({ tokenId: id, user: token.user });
}

/** A right is told where a token has it. */
const rightOf = ({ managesAccounts, logsIn, isForCurtain }: ApiToken) => ({
  ...(managesAccounts && { manage_accounts: true as const }),
  ...(logsIn && { login: true as const }),
  ...(isForCurtain && { rights: ['curtain' as const] }),
});

export const shown = (token: ApiToken): z.output<typeof TOKEN> => ({
  id: token.id,
  name: token.name,
  user: token.user,
  role: token.role,
  cameras: token.cameras && [...token.cameras],
  ...rightOf(token),
  created_at: token.createdAt,
  expires_at: token.expiresAt,
  last_used_at: token.lastUsedAt,
  last_used_from: token.lastUsedFrom,
});

/** A token as it was asked for, in the fields of the API, not yet checked. Null is as good as absent, but for `expires_at`. */
export type WantedToken = Readonly<Record<string, unknown>>;

interface TokenOwner {
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

/** Nothing here learns that a proxy's user has left, so a token made without an end gets one. */
const PROXY_TOKEN_SECONDS = 90 * 86_400;
/** The most tokens of one owner. */
const MOST_TOKENS = 100;
const MOST_CAMERA_ENTRIES = 200;
/** Each `*` more makes a hostile pattern slower to match by the length of a name. */
const MOST_STARS = 2;
const CURTAIN = 'curtain';

/** Refuses by a `Refused`. */
export async function makeToken(wanted: WantedToken, owner: TokenOwner, services: TokenMaking): Promise<MadeToken> {
  const { store, clock, customRoles } = services;
  const now = unixSeconds(clock);
  const name = plainName(wanted['name']);
  if (name === undefined) throw unfit('name-invalid', `A token needs a name of 1 to ${LONGEST_PLAIN_NAME} characters`);
  const role = roleIn(wanted['role'] ?? owner.role, owner.role, await customRoles());
  const cameras = camerasIn(wanted['cameras'] ?? null);
  const byDefault = owner.createdAt === null ? now + PROXY_TOKEN_SECONDS : null;
  const expiresAt = expiryIn(wanted['expires_at'] === undefined ? byDefault : wanted['expires_at'], now);
  const managesAccounts = flagIn('accounts', 'manage_accounts', wanted);
  if (managesAccounts && (role !== ADMIN || cameras !== null))
    throw unfit(
      'accounts-not-admin',
      'manage_accounts: only a token of the role admin, for all cameras, manages accounts',
    );
  const logsIn = flagIn('login', 'login', wanted);
  if (logsIn && owner.createdAt === null)
    throw unfit('login-without-account', 'login: a user of the proxy has no login here');
  const isForCurtain = isWantedForCurtain(wanted['rights'], role);
  if (isForCurtain && (cameras !== null || managesAccounts || logsIn))
    throw unfit(
      'rights-invalid',
      `rights: a token for the ${CURTAIN} has no cameras, manage_accounts or login: leave them out`,
    );
  const { length } = await store.apiTokens.listTokens(owner.name);
  if (length >= MOST_TOKENS) throw unfit('too-many', `${owner.name} has ${length} API tokens already: revoke one`, 409);
  const { text, id, secretHash } = newTokenText();
  const token: ApiToken = {
    id,
    secretHash,
    name,
    user: owner.name,
    userCreatedAt: owner.createdAt,
    role,
    cameras,
    expiresAt,
    managesAccounts,
    ...(logsIn && { logsIn: true as const }),
    ...(isForCurtain && { isForCurtain: true as const }),
    createdAt: now,
    lastUsedAt: null,
    lastUsedFrom: null,
  };
  await store.apiTokens.addToken(token);
  return { text, token };
}

function roleIn(wanted: unknown, own: Role, roles: CustomRoles): Role {
  const known = [...roles.keys(), ADMIN, VIEWER];
  const role = known.find((candidate) => candidate === wanted);
  if (role === undefined) throw unfit('role-unknown', `Role must be one of: ${known.join(', ')}`);
  if (!mayGive(own, role)) throw unfit('role-too-high', `The role ${own} cannot give the role ${role}`, 403);
  return role;
}

function camerasIn(wanted: unknown): readonly string[] | null {
  if (wanted === null) return null;
  if (!Array.isArray(wanted) || wanted.length === 0 || wanted.length > MOST_CAMERA_ENTRIES)
    throw unfit('cameras-invalid', `cameras: give a list of 1 to ${MOST_CAMERA_ENTRIES} names, or none for all`);
  const cameras = cameraEntriesIn(wanted);
  if (!cameras.ok) throw unfit('cameras-invalid', `cameras: ${cameras.error}`);
  const starred = cameras.value.find((camera) => camera.split('*').length > MOST_STARS + 1);
  if (starred !== undefined) throw unfit('cameras-invalid', `cameras: "${starred}" has more than ${MOST_STARS} "*"`);
  const fault = wildcardsFault(cameras.value);
  if (fault !== undefined) throw unfit('cameras-invalid', `cameras: the list ${fault}`);
  return cameras.value;
}

function flagIn(reason: 'accounts' | 'login', field: string, wanted: WantedToken): boolean {
  const given = wanted[field] ?? false;
  if (typeof given !== 'boolean') throw unfit(`${reason}-invalid`, `${field}: give true or false`);
  return given;
}

/** Whether the token is for the curtain: it has that by the role of its owner, and ends with that. No other right stands beside it. */
function isWantedForCurtain(rights: unknown, role: Role): boolean {
  if (rights === undefined || rights === null) return false;
  if (!Array.isArray(rights) || rights.length !== 1 || rights[0] !== CURTAIN)
    throw unfit('rights-invalid', `rights: give ["${CURTAIN}"], or leave it out`);
  if (role !== ADMIN)
    throw unfit('rights-not-admin', 'rights: only a token of the role admin draws and opens the curtain', 403);
  return true;
}

function expiryIn(wanted: unknown, now: number): number | null {
  if (wanted === null) return null;
  if (!Number.isSafeInteger(wanted)) throw unfit('expiry-invalid', 'expires_at: give whole Unix seconds');
  if (Number(wanted) <= now) throw unfit('expiry-invalid', 'expires_at: that time has passed already');
  return Number(wanted);
}

/** Tokens of any user, for the command line. Without accounts a token's user is a name and nothing more. */
export const createTokenAdmin = (services: TokenMaking & Pick<GrantServices, 'authEnabled'>) => ({
  list: () => services.store.apiTokens.listTokens(),
  revoke: (id: string) => services.store.apiTokens.deleteToken(id),
  create: ({ user, ...wanted }: WantedToken & { readonly user: string }) =>
    asResult(ownerNamed(user, services).then((owner) => makeToken(wanted, owner, services))),
});

export type TokenAdmin = ReturnType<typeof createTokenAdmin>;

async function ownerNamed(
  name: string,
  { store, authEnabled }: Pick<TokenMaking, 'store'> & Pick<GrantServices, 'authEnabled'>,
): Promise<TokenOwner> {
  if (!authEnabled) return { name: name as UserName, role: ADMIN, createdAt: null };
  const owner = await store.accounts.findUser(name);
  if (!owner) throw unfit('user-absent', `There is no user ${name}: "postern users list" shows all`, 404);
  return owner;
}
