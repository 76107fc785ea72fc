/** `/api/tokens`: API tokens are made, listed and revoked: the caller's own, for an admin those of all users (SPEC 4.4). */
import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import { type GrantMaker, NEW_GRANT } from '../../domain/accounts/grant.ts';
import { withoutDrawn } from '../../domain/caller.ts';
import { wildcardsFault } from '../../domain/camera-scope.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { mayManageAccounts } from '../../domain/credentials.ts';
import { ADMIN, type Role } from '../../domain/names.ts';
import { LONGEST_PLAIN_NAME, plainName } from '../../domain/text.ts';
import { BODY_LIMITS } from '../../routes/read-body.ts';
import { answer, BODY_NO, CAMERAS, described, SUCCESS, TEXT, TIME } from '../../routes/shapes.ts';
import type { ApiToken } from '../../store/engine/tables.ts';
import {
  findMaker,
  type GrantServices,
  type GrantUses,
  grantEnd,
  keepGrant,
  knownGrant,
  knownGrants,
  revokeGrant,
} from '../grants/grants.ts';
import { MADE_TOKEN, ONE_RIGHT, TOKEN } from '../http/answers.ts';
import { cameraEntriesIn, ROLE_GIVEN } from '../http/json-body.ts';
import { type AccountResponseDeps, type Call, declaring, Refused, refusedFor, unfit } from '../http/kernel.ts';
import { roleNamed } from '../users/users.ts';
import { mayGive, newTokenText } from './api-tokens.ts';

/** What tokens are made with. */
export type TokenMaking = Pick<GrantServices, 'clock' | 'store'> & Pick<Services, 'roleRegistry' | 'tokenRights'>;

type TokenServices = AccountResponseDeps &
  TokenMaking &
  Pick<Services, 'settings'> & { readonly grantUses: Pick<GrantUses, 'flush'> };

/** Any other field is refused: a misspelt `expires_at` must not become a token without an end. */
const NEW_TOKEN = described('NewToken', {
  name: z.string().min(1).max(100),
  role: z.string().optional().meta(ROLE_GIVEN),
  cameras: CAMERAS.nullish().meta({ description: 'null: all' }),
  expires_at: TIME.nullish(),
  manage_accounts: z.boolean().optional().meta({ description: 'Of an admin: the token may manage accounts' }),
  login: z.boolean().optional().meta({ description: 'POST /api/login takes it in the place of the password' }),
  rights: z.array(TEXT).nullish().meta(ONE_RIGHT),
});

const route = declaring<TokenServices>();

// biome-ignore format: a table
export const TOKEN_ROUTES = [
  route({ route: 'GET /api/tokens', access: 'any', note: "the caller's own; for an admin all", summary: "One's own API tokens; as an admin, all", yes: [200, z.array(TOKEN)], run: list }),
  route({ route: 'POST /api/tokens', access: 'any', writes: true, note: "never above the maker's own role", summary: 'Create an API token', body: NEW_TOKEN, reads: 'names', bytes: BODY_LIMITS.cameraList, yes: [201, MADE_TOKEN], no: [...BODY_NO, 409], act: 'token-created',
    before: async (call, services) => {
      await findOwner(call, services);
      call.prove('credentials');
    },
    run: create }),
  route({ route: 'DELETE /api/tokens/{id}', access: 'any', writes: true, note: "the caller's own; for an admin any", summary: 'Revoke an API token', yes: [200, SUCCESS], no: [404], act: 'token-revoked', run: revoke }),
];

async function create(call: Call<WantedToken>, services: TokenServices): Promise<object> {
  const { text, token } = await makeToken(call.body, await findOwner(call, services), services);
  call.note({ tokenId: token.id });
  const first = { id: token.id, token: text };
  return { ...first, ...answer(MADE_TOKEN, { ...withRights(token), token: text }) };
}

async function findOwner(call: Call<unknown>, services: TokenServices): Promise<TokenOwner> {
  const owner = mayManageAccounts(call.caller) ? await findMaker(call, ADMIN, services) : undefined;
  if (!owner)
    throw new Refused(403, 'account-needed', 'An API token belongs to a user: log in, and create it as that user');
  return owner;
}

async function list({ caller }: Call, services: TokenServices): Promise<object> {
  const tokens = await knownGrants('api-token', caller, services);
  return tokens.map((token) => answer(TOKEN, { ...withRights(token), cameras: withoutDrawn(token.cameras, caller) }));
}

async function revoke(call: Call, services: TokenServices): Promise<void> {
  const { caller, params, note } = call;
  const isItself = caller.credential.kind === 'api-token' && caller.credential.tokenId === params['id'];
  if (!isItself && !mayManageAccounts(caller)) {
    await knownGrant('api-token', call, services);
    throw refusedFor('person-needed');
  }
  const { id, user } = await revokeGrant('api-token', call, services);
  note({ tokenId: id, user });
}

/** A right is told where a token has it. */
const withRights = (token: ApiToken) => ({
  ...token,
  manageAccounts: token.managesAccounts ? (true as const) : undefined,
  login: token.logsIn,
  rights: token.right === undefined ? undefined : [token.right],
});

/** A token as it was asked for, in the fields of the API, not yet checked. Null is as good as absent, but for `expires_at`. */
type WantedToken = Readonly<Record<string, unknown>>;

type TokenOwner = Pick<GrantMaker, 'user' | 'userCreatedAt' | 'role'>;

/** Nothing here learns that a proxy's user has left, so a token made without an end gets one. */
const PROXY_TOKEN_SECONDS = 90 * 86_400;
/** The most tokens of one owner. */
const MOST_TOKENS = 100;
const MOST_CAMERA_ENTRIES = 200;
/** Each `*` more makes a hostile pattern slower to match by the length of a name. */
const MOST_STARS = 2;

/** Makes a token, whose text is shown once. Refuses by a `Refused`. */
export async function makeToken(wanted: WantedToken, owner: TokenOwner, services: TokenMaking) {
  const { user, userCreatedAt } = owner;
  const now = unixSeconds(services.clock);
  const name = plainName(wanted['name']);
  if (name === undefined) throw unfit('name-invalid', `A token needs a name of 1 to ${LONGEST_PLAIN_NAME} characters`);
  const role = await roleNamed(wanted['role'] ?? owner.role, services);
  if (!mayGive(owner.role, role))
    throw unfit('role-too-high', `The role ${owner.role} cannot give the role ${role}`, 403);
  const cameras = camerasIn(wanted['cameras'] ?? null);
  const byDefault = userCreatedAt === null ? now + PROXY_TOKEN_SECONDS : null;
  const expiresAt = grantEnd('expires_at', wanted['expires_at'] === undefined ? byDefault : wanted['expires_at'], now);
  const managesAccounts = flagIn('accounts', 'manage_accounts', wanted);
  if (managesAccounts && (role !== ADMIN || cameras !== null))
    throw unfit(
      'accounts-not-admin',
      'manage_accounts: only a token of the role admin, for all cameras, manages accounts',
    );
  const logsIn = flagIn('login', 'login', wanted);
  if (logsIn && userCreatedAt === null)
    throw unfit('login-without-account', 'login: a user of the proxy has no login here');
  const hasMore = cameras !== null || managesAccounts || logsIn;
  const right = rightIn(wanted['rights'] ?? null, role, hasMore, services.tokenRights);
  const { text, ...secret } = newTokenText();
  const terms = { name, user, userCreatedAt, role, cameras, createdAt: now, expiresAt };
  const rights = { managesAccounts, ...(logsIn && { logsIn }), ...(right !== undefined && { right }) };
  const token: ApiToken = { ...NEW_GRANT, ...secret, ...terms, ...rights };
  await keepGrant('api-token', token, MOST_TOKENS, services);
  return { text, token };
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
  if (typeof given !== 'boolean')
    throw unfit('fields-invalid', `${field}: give true or false`, 400, `${reason}-invalid`);
  return given;
}

/** The one right that the token is made for: it has that by the role of its owner, and ends with that. Nothing stands beside it. */
function rightIn(wanted: unknown, role: Role, hasMore: boolean, known: readonly string[]): string | undefined {
  const refused = (why: string): Refused => unfit('fields-invalid', `rights: ${why}`, 400, 'rights-invalid');
  if (wanted === null) return undefined;
  const right = Array.isArray(wanted) && wanted.length === 1 ? known.find((one) => one === wanted[0]) : undefined;
  if (right === undefined) throw refused([...known.map((one) => `give ["${one}"]`), 'leave it out'].join(', or '));
  if (role !== ADMIN)
    throw unfit('rights-not-admin', `rights: only a token of the role admin has the right ${right}`, 403);
  if (hasMore) throw refused(`a token for the right ${right} has no cameras, manage_accounts or login: leave them out`);
  return right;
}
