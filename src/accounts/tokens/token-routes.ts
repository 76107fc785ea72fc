/** `/api/tokens`: creates, lists and revokes API tokens: the caller's own, for an admin those of all users (SPEC 4.4). */
import { z } from 'zod';
import type { AccountStore } from '../../domain/accounts/account.ts';
import type { ApiToken, ApiTokenStore } from '../../domain/accounts/api-token.ts';
import { type Caller, isAdministrator, withoutDrawn } from '../../domain/caller.ts';
import { mayManageAccounts } from '../../domain/credentials.ts';
import { BODY_LIMITS } from '../../domain/read-body.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { BODY_NO, CAMERAS, named, SUCCESS, TIME } from '../../routes/shapes.ts';
import { FOR_CURTAIN, MADE_TOKEN, TOKEN } from '../http/answers.ts';
import { ROLE_GIVEN, unknownFields } from '../http/body-fields.ts';
import { refuse, refuseFields, refuseFor, respond } from '../http/responses.ts';
import { type AccountResponseDeps, jsonOf, record } from '../http/route-guards.ts';
import { type MakeTokenDeps, makeToken, type TokenOwner, type TokenRefusal } from './make-token.ts';

export interface TokenRouteDeps extends Omit<MakeTokenDeps, 'tokenStore'>, AccountResponseDeps {
  readonly tokenStore: ApiTokenStore;
  readonly store: Pick<AccountStore, 'findUser'>;
  /** So that a list shows the last use. */
  readonly flushTokenUses: () => Promise<void>;
}

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

// biome-ignore format: a table
const STATUS_OF: Readonly<Record<TokenRefusal['reason'], number>> = {
  'name-invalid':    400,
  'role-unknown':    400,
  'role-too-high':   403,
  'cameras-invalid': 400,
  'expiry-invalid':  400,
  'accounts-invalid': 400,
  'accounts-not-admin': 400,
  'login-invalid':   400,
  'login-without-account': 400,
  'rights-invalid':  400,
  'rights-not-admin': 403,
  'too-many':        409,
};

// biome-ignore format: a table
export const TOKEN_ROUTES: readonly OwnRoute<TokenRouteDeps>[] = [
  { route: 'GET /api/tokens', access: 'any', note: "the caller's own; for an admin all", summary: "One's own API tokens; as an admin, all", yes: [200, z.array(TOKEN)], handler: list },
  { route: 'POST /api/tokens', access: 'any', writes: true, note: "never above the maker's own role", summary: 'Create an API token', body: NEW_TOKEN, yes: [201, MADE_TOKEN], no: [...BODY_NO, 409], handler: create },
  { route: 'DELETE /api/tokens/{id}', access: 'any', writes: true, note: "the caller's own; for an admin any", summary: 'Revoke an API token', yes: [200, SUCCESS], no: [404], handler: revoke },
];

async function create(ctx: RouteContext, deps: TokenRouteDeps): Promise<void> {
  const { caller } = ctx.state;
  if (!caller) return refuseFor(ctx, 'no-credentials');
  const owner = await ownerOf(caller, deps);
  if (!owner) return refuse(ctx, 403, 'An API token belongs to a user: log in, and create it as that user');
  if (deps.asksProof(caller, 'credentials')) return refuseFor(ctx, 'reauthentication-required');
  const body = await jsonOf(ctx, deps, BODY_LIMITS.cameraList);
  if (!body) return;
  const unknown = unknownFields(NEW_TOKEN, body.json);
  if (unknown.length > 0) return refuseFields(ctx, unknown);
  const {
    name,
    role,
    cameras,
    expires_at: expiresAt,
    manage_accounts: managesAccounts,
    login: logsIn,
    rights: wantedRights,
  } = Object(body.json);
  const wanted = { name, role, cameras, expiresAt, managesAccounts, logsIn, rights: wantedRights };
  const made = await makeToken(wanted, owner, deps);
  if (!made.ok) {
    record(ctx, deps, { what: 'token-created' }, made.error.reason);
    return refuse(ctx, STATUS_OF[made.error.reason], made.error.message);
  }
  const { text, token } = made.value;
  record(ctx, deps, { what: 'token-created', tokenId: token.id });
  const { id, expiresAt: expires_at } = token;
  const rights = { role: token.role, cameras: token.cameras, ...rightOf(token), expires_at };
  respond(ctx, 201, { id, token: text, name: token.name, ...rights });
}

/** Whose token a new one becomes: of a person, or of the owner of a token that manages accounts. */
async function ownerOf(caller: Caller, deps: TokenRouteDeps): Promise<TokenOwner | undefined> {
  const { name, role, credential } = caller;
  if (credential.kind === 'internal-listener' || !mayManageAccounts(caller)) return undefined;
  const hasAccount =
    credential.kind === 'api-token' ? await isOfAccount(credential.tokenId, deps) : credential.kind === 'session';
  if (!hasAccount) return { name, role, createdAt: null };
  const user = await deps.store.findUser(name);
  return user && { name, role, createdAt: user.createdAt };
}

const isOfAccount = async (tokenId: string, { tokenStore }: TokenRouteDeps): Promise<boolean> =>
  ((await tokenStore.findToken(tokenId))?.userCreatedAt ?? null) !== null;

async function list(ctx: RouteContext, { tokenStore, flushTokenUses }: TokenRouteDeps): Promise<void> {
  const { caller } = ctx.state;
  if (!caller) return refuseFor(ctx, 'no-credentials');
  await flushTokenUses();
  const tokens = await tokenStore.listTokens(isAdministrator(caller) ? undefined : caller.name);
  const known = tokens.filter((token) => mayKnow(caller, token));
  respond(
    ctx,
    200,
    known.map((token) => ({ ...shown(token), cameras: withoutDrawn(token.cameras, caller) })),
  );
}

/** A token knows itself, and an admin's token all. A proxy's user and an account of the same name are two people. */
function mayKnow(caller: Caller, token: ApiToken): boolean {
  if (isAdministrator(caller)) return true;
  const { name, credential } = caller;
  if (credential.kind === 'api-token') return token.id === credential.tokenId;
  return token.user === name && (token.userCreatedAt === null) === (credential.kind === 'proxy-headers');
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

/** The token of another user answers 404, as an unknown one does. */
async function revoke(ctx: RouteContext, deps: TokenRouteDeps): Promise<void> {
  const { caller } = ctx.state;
  if (!caller) return refuseFor(ctx, 'no-credentials');
  const id = ctx.params['id'] ?? '';
  const token = await deps.tokenStore.findToken(id);
  if (!token || !mayKnow(caller, token)) return refuse(ctx, 404, 'There is no such token');
  const isItself = caller.credential.kind === 'api-token' && caller.credential.tokenId === id;
  if (!isItself && !mayManageAccounts(caller)) return refuseFor(ctx, 'person-needed');
  await deps.tokenStore.deleteToken(id);
  record(ctx, deps, { what: 'token-revoked', tokenId: id, user: token.user });
  respond(ctx, 200, { success: true });
}
