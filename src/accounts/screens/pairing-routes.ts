/** `/api/screens/…`: a display asks for a code and polls, and a person confirms it or denies it (SPEC 18, RFC 8628). */
import { z } from 'zod';
import type { AccountStore, User } from '../../domain/accounts/account.ts';
import type { ScreenStore } from '../../domain/accounts/screen.ts';
import type { Caller } from '../../domain/caller.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { SCREEN_PATH } from '../../domain/login-path.ts';
import { BODY_LIMITS } from '../../domain/read-body.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { BODY_NO, CAMERAS, named, SUCCESS, TIME } from '../../routes/shapes.ts';
import { MADE_SCREEN, SCREEN, SCREEN_CODE, SCREEN_DEVICE } from '../http/answers.ts';
import { fieldsIn, GIVEN_TEXT, unknownFields } from '../http/body-fields.ts';
import { readJson } from '../http/read-json.ts';
import {
  refuse,
  refuseBody,
  refuseFields,
  refuseFor,
  refuseWhileBusy,
  refuseWhileLimited,
  respond,
} from '../http/responses.ts';
import { type AccountResponseDeps, jsonOf, record } from '../http/route-guards.ts';
import { type LimiterPlace, type LoginLimiter, settled } from '../login/login-limiter.ts';
import { qrCode } from '../second-factor/enrolment.ts';
import { type CookieClient, cookieClientOf } from '../sessions/session-cookie.ts';
import { codeOver, confirmScreen, type ScreenRefusal } from './confirm-screen.ts';
import { CODE_SECONDS, type Pairing, POLL_SECONDS, userCodeHash } from './pairing.ts';

export interface PairingRouteDeps extends AccountResponseDeps {
  readonly pairing: Pairing;
  readonly screenStore: ScreenStore;
  readonly store: Pick<AccountStore, 'findUser'>;
  readonly clock: { now(): number };
  /** The limiter of failed logins, by address: wrong letters are one. */
  readonly limiter: LoginLimiter;
  /** The limiter of wrong codes, by account. */
  readonly codeLimiter: LoginLimiter;
  /** `auth.enabled`. */
  readonly hasAccounts: boolean;
  /** The page at that path for people, or undefined while no address is configured. */
  readonly publicAddressOf: (path: string) => string | undefined;
  readonly screenCookie: (secret: string, client: CookieClient) => string;
  /** Takes the header in which cookies came; gives undefined while one of them may show cameras again. */
  readonly screenCookieCleared: (header: string, client: CookieClient) => Promise<string | undefined>;
}

const DEVICE_CODE = named('ScreenDeviceCode', z.object({ device_code: GIVEN_TEXT }));
const USER_CODE = named('ScreenUserCode', z.object({ user_code: GIVEN_TEXT }));
/** Any other field is refused: a misspelt `ends_at` must not become a screen without an end. */
const NEW_SCREEN = named(
  'NewScreen',
  z.object({
    user_code: GIVEN_TEXT.meta({ description: 'The letters that the display shows' }),
    name: GIVEN_TEXT,
    cameras: CAMERAS.nullish().meta({ description: 'Names of own cameras; null: all that the maker sees' }),
    ends_at: TIME.nullish().meta({ description: 'null: it does not end by itself' }),
  }),
);

const NO_ACCOUNTS = 'Screens belong to accounts, and auth.enabled is false';
const FOR_PEOPLE = 'Only a person who is logged in can do this, and no guest';

// biome-ignore format: a table
export const PAIRING_ROUTES: readonly OwnRoute<PairingRouteDeps>[] = [
  { route: 'POST /api/screens/code', access: 'public', secret: true, summary: 'Begin to pair a display: it shows user_code, and polls with device_code (RFC 8628)', yes: [200, SCREEN_CODE], no: [404, 429], handler: begin },
  { route: 'GET /api/screens/code', access: 'any', note: 'a session', summary: 'Where the display is that shows this code', query: { user_code: 'The letters that the display shows' }, yes: [200, SCREEN_DEVICE], no: [404], handler: look },
  { route: 'POST /api/screens/token', access: 'public', secret: true, summary: 'Poll: the screen comes as a cookie', body: DEVICE_CODE, yes: [200, MADE_SCREEN], no: [...BODY_NO, 408, 429], handler: poll },
  { route: 'POST /api/screens/confirm', access: 'any', writes: true, note: 'a session; cameras of its own', summary: 'Make a screen of the display that shows this code', body: NEW_SCREEN, yes: [201, SCREEN.pick({ id: true, name: true, cameras: true, ends_at: true })], no: [...BODY_NO, 404, 409], handler: confirm },
  { route: 'POST /api/screens/deny', access: 'any', writes: true, note: 'a session', summary: 'Tell the display that shows this code that it was denied', body: USER_CODE, yes: [200, SUCCESS], no: [...BODY_NO, 404], handler: deny },
];

async function begin(ctx: RouteContext, deps: PairingRouteDeps): Promise<void> {
  const { pairing, hasAccounts, publicAddressOf, screenCookieCleared } = deps;
  if (!hasAccounts) return refuse(ctx, 404, NO_ACCOUNTS);
  const { clientAddress: address, clientAgent: agent } = ctx.state;
  const begun = await pairing.begin({ address, agent });
  if (begun.kind === 'limited') return limited(ctx, begun.seconds);
  const cleared = await screenCookieCleared(ctx.get('Cookie'), cookieClientOf(ctx.state));
  if (cleared !== undefined) ctx.append('Set-Cookie', cleared);
  const page = publicAddressOf(SCREEN_PATH) ?? `${originOf(ctx)}${ctx.state.basePath ?? ''}${SCREEN_PATH}`;
  const complete = `${page}?code=${begun.userCode}`;
  const codes = { device_code: begun.deviceCode, user_code: begun.userCode };
  const places = { verification_uri: page, verification_uri_complete: complete, qr: qrCode(complete) };
  respond(ctx, 200, { ...codes, ...places, expires_in: CODE_SECONDS, interval: POLL_SECONDS });
}

/** The address that the display's browser has of this service: it was compared with the Host before. */
function originOf(ctx: RouteContext): string {
  const origin = ctx.get('Origin');
  return origin === '' ? `${ctx.state.clientEncrypted ? 'https' : 'http'}://${ctx.host}` : origin;
}

function limited(ctx: RouteContext, seconds: number): void {
  ctx.set('Retry-After', String(seconds));
  refuse(ctx, 429, `Too many attempts: try again in ${seconds} s.`);
}

async function poll(ctx: RouteContext, deps: PairingRouteDeps): Promise<void> {
  const body = await readJson(ctx.req, { bytes: BODY_LIMITS.credentials, seconds: deps.bodySeconds() });
  if (!body.ok) return refuseBody(ctx, body.error);
  const fields = fieldsIn(DEVICE_CODE, body.value);
  if (!fields.ok) return refuseFields(ctx, fields.error);
  const outcome = await deps.pairing.poll(fields.value.device_code, ctx.state.clientAddress);
  switch (outcome.kind) {
    case 'limited':
      return limited(ctx, outcome.seconds);
    case 'error':
      return respond(ctx, 400, { error: outcome.error });
    case 'paired': {
      const { id, name, endsAt: ends_at } = outcome.screen;
      ctx.append('Set-Cookie', deps.screenCookie(outcome.secret, cookieClientOf(ctx.state)));
      return respond(ctx, 200, { success: true, id, name, ends_at });
    }
  }
}

/** The account of the caller; undefined when the response is set already. A guest's rights are lent, and not to be lent on. */
async function personOf(
  ctx: RouteContext,
  deps: PairingRouteDeps,
): Promise<(User & { readonly caller: Caller }) | undefined> {
  const { caller } = ctx.state;
  if (!caller) return void refuseFor(ctx, 'no-credentials');
  const user = caller.credential.kind === 'session' ? await deps.store.findUser(caller.name) : undefined;
  if (!user || user.validUntil !== undefined) return void refuse(ctx, 403, FOR_PEOPLE);
  return { ...user, caller };
}

type Guessed<Found> = { readonly kind: 'found'; readonly found: Found } | { readonly kind: 'wrong' };

/**
 * Acts by letters that a person has typed: wrong ones are limited by account and by address, as codes of a second factor are.
 * Gives what was found; undefined when the response is set already.
 */
async function byLetters<Found>(
  ctx: RouteContext,
  { typed, user }: { readonly typed: string; readonly user: string },
  deps: PairingRouteDeps,
  act: (userHash: string) => Promise<Guessed<Found>>,
): Promise<Guessed<Found> | undefined> {
  const isWrong = (outcome: Guessed<Found> | undefined) => outcome?.kind === 'wrong';
  const refuseFull = (place: Exclude<LimiterPlace, { kind: 'reserved' }>): undefined => {
    if (place.kind === 'limited') refuseWhileLimited(ctx, place);
    else refuseWhileBusy(ctx);
  };
  const byAccount = await deps.codeLimiter.reserve(`${user} screen`, false, { account: user });
  if (byAccount.kind !== 'reserved') return refuseFull(byAccount);
  return settled(
    byAccount,
    async () => {
      const byAddress = await deps.limiter.reserve(ctx.state.clientAddress, false, { account: user });
      if (byAddress.kind !== 'reserved') return refuseFull(byAddress);
      const userHash = userCodeHash(typed);
      return settled(byAddress, async () => (userHash === undefined ? { kind: 'wrong' } : act(userHash)), isWrong);
    },
    isWrong,
  );
}

const refuseScreen = (ctx: RouteContext, { status, message, reason }: ScreenRefusal): void =>
  refuse(ctx, status, message, { reason });

/** A page of another site must not use up a person's tries, not even by leading the browser here. */
async function look(ctx: RouteContext, deps: PairingRouteDeps): Promise<void> {
  if (ctx.get('Sec-Fetch-Site') === 'cross-site') return refuseFor(ctx, 'cross-site');
  const person = await personOf(ctx, deps);
  if (!person) return;
  const typed = ctx.query['user_code'];
  const letters = { typed: typeof typed === 'string' ? typed : '', user: person.name };
  const looked = await byLetters(ctx, letters, deps, async (userHash) => {
    const code = await deps.screenStore.findCode({ userHash });
    const waits = code?.state === 'pending' && code.expiresAt > unixSeconds(deps.clock);
    return waits ? { kind: 'found', found: code } : { kind: 'wrong' };
  });
  if (looked?.kind === 'wrong') return refuseScreen(ctx, codeOver());
  if (!looked) return;
  const { address, agent, createdAt, expiresAt } = looked.found;
  respond(ctx, 200, { address, agent, created_at: createdAt, expires_at: expiresAt });
}

async function confirm(ctx: RouteContext, deps: PairingRouteDeps): Promise<void> {
  const person = await personOf(ctx, deps);
  if (!person) return;
  const { caller, createdAt } = person;
  if (deps.asksProof(caller, 'credentials')) return refuseFor(ctx, 'reauthentication-required');
  const body = await jsonOf(ctx, deps, BODY_LIMITS.cameraList);
  if (!body) return;
  const unknown = unknownFields(NEW_SCREEN, body.json);
  if (unknown.length > 0) return refuseFields(ctx, unknown);
  const code = fieldsIn(USER_CODE, body.json);
  if (!code.ok) return refuseFields(ctx, code.error);
  const letters = { typed: code.value.user_code, user: person.name };
  const made = await byLetters(ctx, letters, deps, async (userHash) => {
    const found = await confirmScreen(Object(body.json), { userHash, caller, createdAt }, deps);
    return !found.ok && found.error.reason === 'code-unknown' ? { kind: 'wrong' } : { kind: 'found', found };
  });
  if (!made) return;
  const refusal = made.kind === 'wrong' ? codeOver() : made.found.ok ? undefined : made.found.error;
  if (refusal) {
    record(ctx, deps, { what: 'screen-paired' }, refusal.reason);
    return refuseScreen(ctx, refusal);
  }
  if (made.kind === 'wrong' || !made.found.ok) return;
  const { id, name, cameras, endsAt: ends_at } = made.found.value;
  record(ctx, deps, { what: 'screen-paired', screenId: id, screen: name });
  respond(ctx, 201, { id, name, cameras, ends_at });
}

async function deny(ctx: RouteContext, deps: PairingRouteDeps): Promise<void> {
  const person = await personOf(ctx, deps);
  if (!person) return;
  const body = await jsonOf(ctx, deps);
  if (!body) return;
  const code = fieldsIn(USER_CODE, body.json);
  if (!code.ok) return refuseFields(ctx, code.error);
  const letters = { typed: code.value.user_code, user: person.name };
  const denied = await byLetters(ctx, letters, deps, async (userHash) =>
    (await deps.screenStore.denyCode(userHash, unixSeconds(deps.clock))) === 'denied'
      ? { kind: 'found', found: true }
      : { kind: 'wrong' },
  );
  if (!denied) return;
  if (denied.kind === 'wrong') return refuseScreen(ctx, codeOver());
  record(ctx, deps, { what: 'screen-denied' });
  respond(ctx, 200, { success: true });
}
