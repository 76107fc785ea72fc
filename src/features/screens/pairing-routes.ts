/** `/api/screens/…`: a display asks for a code and polls, and a person confirms it or denies it (SPEC 18, RFC 8628). */
import { z } from 'zod';
import { type GrantServices, grantEnd, newGrantId, notKept, refusedUntil } from '../../accounts/grants/grants.ts';
import { MADE_SCREEN, SCREEN, SCREEN_CODE, SCREEN_DEVICE } from '../../accounts/http/answers.ts';
import { fieldsIn, GIVEN_TEXT } from '../../accounts/http/json-body.ts';
import {
  type AccountResponseDeps,
  ANSWERED,
  type Call,
  declaring,
  type OpenCall,
  orRefusedFields,
  Refused,
  refusedFor,
  refusedWhileBusy,
  refusedWhileLimited,
} from '../../accounts/http/kernel.ts';
import { respond } from '../../accounts/http/responses.ts';
import { type LimiterPlace, type LoginLimiter, settled } from '../../accounts/login/login-limiter.ts';
import { qrCode } from '../../accounts/second-factor/second-factor.ts';
import { cookieClient } from '../../accounts/sessions/session-cookie.ts';
import type { User } from '../../domain/accounts/account.ts';
import { NEW_GRANT, type Screen } from '../../domain/accounts/grant.ts';
import type { Caller } from '../../domain/caller.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { SCREEN_PATH } from '../../domain/page-paths.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { BODY_LIMITS } from '../../routes/read-body.ts';
import { BODY_NO, CAMERAS, named, SUCCESS, TIME } from '../../routes/shapes.ts';
import type { Store } from '../../store/open-store.ts';
import { CODE_SECONDS, type Pairing, POLL_SECONDS, userCodeHash } from './pairing.ts';
import { screenCameras, screenName } from './screen-routes.ts';
import type { OpenScreens } from './screens.ts';

type PairingServices = AccountResponseDeps &
  Pick<GrantServices, 'clock' | 'authEnabled'> & {
    readonly store: Pick<Store, 'accounts' | 'screenCodes'>;
    readonly pairing: Pairing;
    readonly screens: Pick<OpenScreens, 'screenCookie' | 'cookieCleared'>;
    /** The limiter of failed logins, by address: wrong letters are one. */
    readonly limiter: LoginLimiter;
    /** The limiter of wrong codes, by account. */
    readonly codeLimiter: LoginLimiter;
    /** The page at that path for people, or undefined while no address is configured. */
    readonly publicAddressOf: (path: string) => string | undefined;
  };

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

/** The most screens of one user. */
const MOST_SCREENS = 100;
const NO_ACCOUNTS = 'Screens belong to accounts, and auth.enabled is false';
const FOR_PEOPLE = 'Only a person who is logged in can do this, and no guest';
const OVER = 'No display waits with this code: look at the display, it may show another one by now';

const route = declaring<PairingServices>();

// biome-ignore format: a table
export const PAIRING_ROUTES: readonly OwnRoute<PairingServices>[] = [
  route({ route: 'POST /api/screens/code', access: 'public', who: 'anyone', secret: true, summary: 'Begin to pair a display: it shows user_code, and polls with device_code (RFC 8628)', yes: [200, SCREEN_CODE], no: [404, 429], run: begin }),
  route({ route: 'GET /api/screens/code', access: 'any', note: 'a session', summary: 'Where the display is that shows this code', query: { user_code: 'The letters that the display shows' }, yes: [200, SCREEN_DEVICE], no: [404], run: look }),
  route({ route: 'POST /api/screens/token', access: 'public', who: 'anyone', secret: true, summary: 'Poll: the screen comes as a cookie', body: DEVICE_CODE, yes: [200, MADE_SCREEN], no: [...BODY_NO, 408, 429], run: poll }),
  route({ route: 'POST /api/screens/confirm', access: 'any', writes: true, note: 'a session; cameras of its own', summary: 'Make a screen of the display that shows this code', body: NEW_SCREEN, reads: 'names', bytes: BODY_LIMITS.cameraList, yes: [201, SCREEN.pick({ id: true, name: true, cameras: true, ends_at: true })], no: [...BODY_NO, 404, 409], act: 'screen-paired',
    before: async ({ caller, prove }, services) => {
      await findPerson(caller, services);
      prove('credentials');
    },
    run: confirm }),
  route({ route: 'POST /api/screens/deny', access: 'any', writes: true, note: 'a session', summary: 'Tell the display that shows this code that it was denied', body: USER_CODE, yes: [200, SUCCESS], no: [...BODY_NO, 404], act: 'screen-denied',
    before: ({ caller }, services) => findPerson(caller, services), run: deny }),
];

async function begin({ ctx }: OpenCall, services: PairingServices): Promise<object> {
  const { pairing, authEnabled, publicAddressOf, screens } = services;
  if (!authEnabled) throw new Refused(404, NO_ACCOUNTS);
  const { clientAddress: address, clientAgent: agent } = ctx.state;
  const begun = await pairing.begin({ address, agent });
  if (begun.kind === 'limited') throw refusedUntil(begun.seconds);
  const cleared = await screens.cookieCleared(ctx.get('Cookie'), cookieClient(ctx.state));
  if (cleared !== undefined) ctx.append('Set-Cookie', cleared);
  const page = publicAddressOf(SCREEN_PATH) ?? `${findOrigin(ctx)}${ctx.state.basePath ?? ''}${SCREEN_PATH}`;
  const complete = `${page}?code=${begun.userCode}`;
  const codes = { device_code: begun.deviceCode, user_code: begun.userCode };
  const places = { verification_uri: page, verification_uri_complete: complete, qr: qrCode(complete) };
  return { ...codes, ...places, expires_in: CODE_SECONDS, interval: POLL_SECONDS };
}

/** The address that the display's browser has of this service: it was compared with the Host before. */
function findOrigin(ctx: RouteContext): string {
  const origin = ctx.get('Origin');
  return origin === '' ? `${ctx.state.clientEncrypted ? 'https' : 'http'}://${ctx.host}` : origin;
}

async function poll({ ctx, body }: OpenCall<{ device_code: string }>, services: PairingServices): Promise<object> {
  const outcome = await services.pairing.poll(body.device_code, ctx.state.clientAddress);
  switch (outcome.kind) {
    case 'limited':
      throw refusedUntil(outcome.seconds);
    case 'error':
      respond(ctx, 400, { error: outcome.error });
      return ANSWERED;
    case 'paired': {
      const { id, name, expiresAt: ends_at } = outcome.screen;
      ctx.append('Set-Cookie', services.screens.screenCookie(outcome.secret, cookieClient(ctx.state)));
      return { success: true, id, name, ends_at };
    }
  }
}

/** The account of the caller. A guest's rights are lent, and not to be lent on. */
async function findPerson({ credential, name }: Caller, { store }: PairingServices): Promise<User> {
  const user = credential.kind === 'session' ? await store.accounts.findUser(name) : undefined;
  if (!user || user.validUntil !== undefined) throw new Refused(403, FOR_PEOPLE);
  return user;
}

const full = (place: Exclude<LimiterPlace, { kind: 'reserved' }>): Refused =>
  place.kind === 'limited' ? refusedWhileLimited(place) : refusedWhileBusy();

const codeOver = (recorded?: string): Refused =>
  new Refused(404, OVER, { fields: { reason: 'code-unknown' }, ...(recorded !== undefined && { recorded }) });

/** Acts by letters that a person has typed: wrong ones are limited by account and by address, as codes of a second factor are. Undefined: they are wrong. */
async function byLetters<Found>(
  { typed, user, address }: { readonly typed: string; readonly user: string; readonly address: string },
  { codeLimiter, limiter }: PairingServices,
  act: (userHash: string) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const isWrong = (found: Found | undefined) => found === undefined;
  const byAccount = await codeLimiter.reserve(`${user} screen`, false, { account: user });
  if (byAccount.kind !== 'reserved') throw full(byAccount);
  return settled(
    byAccount,
    async () => {
      const byAddress = await limiter.reserve(address, false, { account: user });
      if (byAddress.kind !== 'reserved') throw full(byAddress);
      const userHash = userCodeHash(typed);
      return settled(byAddress, async () => (userHash === undefined ? undefined : act(userHash)), isWrong);
    },
    isWrong,
  );
}

/** A page of another site must not use up a person's tries, not even by leading the browser here. */
async function look({ caller, query, ctx }: Call, services: PairingServices): Promise<object> {
  if (ctx?.get('Sec-Fetch-Site') === 'cross-site') throw refusedFor('cross-site');
  const { name: user } = await findPerson(caller, services);
  const [typed = '', ...more] = query.getAll('user_code');
  const letters = { typed: more.length === 0 ? typed : '', user, address: clientAddress(ctx) };
  const code = await byLetters(letters, services, async (userHash) => {
    const found = await services.store.screenCodes.findCode({ userHash });
    return found?.state === 'pending' && found.expiresAt > unixSeconds(services.clock) ? found : undefined;
  });
  if (!code) throw codeOver();
  const { address, agent, createdAt, expiresAt } = code;
  return { address, agent, created_at: createdAt, expires_at: expiresAt };
}

const clientAddress = (ctx: RouteContext | undefined): string => ctx?.state.clientAddress ?? '';

async function confirm(
  { caller, body, note, ctx }: Call<Readonly<Record<string, unknown>>>,
  services: PairingServices,
): Promise<object> {
  const user = await findPerson(caller, services);
  const { user_code: typed } = orRefusedFields(fieldsIn(USER_CODE, body));
  const letters = { typed, user: user.name, address: clientAddress(ctx) };
  const screen = await byLetters(letters, services, (userHash) =>
    confirmed(body, { userHash, caller, createdAt: user.createdAt }, services).catch(withReason),
  );
  if (!screen) throw codeOver('code-unknown');
  const { id, name, cameras, expiresAt: ends_at } = screen;
  note({ screenId: id, screen: name });
  return { id, name, cameras, ends_at };
}

/** The page tells by the reason which of its fields is wrong. */
function withReason(fault: unknown): never {
  if (!(fault instanceof Refused) || fault.recorded === undefined) throw fault;
  const { status, message, recorded } = fault;
  throw new Refused(status, message, { recorded, fields: { reason: recorded } });
}

/** Undefined: no display waits with this code. `createdAt` is of the caller's account. */
async function confirmed(
  fields: Readonly<Record<string, unknown>>,
  { userHash, caller, createdAt }: { readonly userHash: string; readonly caller: Caller; readonly createdAt: number },
  { store: { screenCodes }, clock }: PairingServices,
): Promise<Screen | undefined> {
  const now = unixSeconds(clock);
  const wanted = {
    name: screenName(fields['name']),
    cameras: screenCameras(fields['cameras'], caller.scope),
    expiresAt: grantEnd('ends_at', fields['ends_at'], now),
  };
  const code = await screenCodes.findCode({ userHash });
  const made = { id: newGrantId(), secretHash: null, user: caller.name, userCreatedAt: createdAt, createdAt: now };
  const screen: Screen = { ...NEW_GRANT, ...made, ...wanted, agent: code?.agent ?? null };
  const outcome = await screenCodes.confirmCode(userHash, screen, MOST_SCREENS);
  if (outcome === 'absent' || outcome === 'too-many') throw notKept(outcome, 'screen', caller.name, MOST_SCREENS);
  return outcome === 'confirmed' ? screen : undefined;
}

async function deny({ caller, body, ctx }: Call<{ user_code: string }>, services: PairingServices): Promise<void> {
  const { name: user } = await findPerson(caller, services);
  const { screenCodes } = services.store;
  const letters = { typed: body.user_code, user, address: clientAddress(ctx) };
  const isDenied = await byLetters(letters, services, async (userHash) =>
    (await screenCodes.denyCode(userHash, unixSeconds(services.clock))) === 'denied' ? true : undefined,
  );
  if (!isDenied) throw codeOver();
}
