/** Pairs a display: it gets a code, shows the letters of it, and polls until a person has confirmed or denied it (SPEC 18, RFC 8628). */
import { hash, randomInt } from 'node:crypto';
import { z } from 'zod';
import { shortText } from '../../accounts/audit.ts';
import { grantEnd, newGrantId, newSecret, notKept, refusedUntil, secretHash } from '../../accounts/grants/grants.ts';
import { MAYBE_TEXT, MAYBE_TIME } from '../../accounts/http/answers.ts';
import { fieldsIn, GIVEN_TEXT } from '../../accounts/http/json-body.ts';
import {
  ANSWERED,
  type Call,
  declaring,
  type OpenCall,
  orRefusedFields,
  Refused,
  refusedFor,
  refusedWhileBusy,
  refusedWhileLimited,
  respond,
} from '../../accounts/http/kernel.ts';
import { type LimiterPlace, settled } from '../../accounts/login/login-limiter.ts';
import { qrCode } from '../../accounts/second-factor/second-factor.ts';
import type { User } from '../../domain/accounts/account.ts';
import { NEW_GRANT } from '../../domain/accounts/grant.ts';
import type { Caller } from '../../domain/caller.ts';
import { unixSeconds } from '../../domain/clock.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { BODY_LIMITS } from '../../routes/read-body.ts';
import { BODY_NO, CAMERAS, described, SUCCESS, TEXT, TIME } from '../../routes/shapes.ts';
import { PAIR_PATH, SCREEN, screenCameras, screenName } from './screen-routes.ts';
import type { ScreenServices } from './screens.ts';
import type { Screen } from './tables.ts';

const SCREEN_CODE = described('ScreenCode', {
  device_code: TEXT,
  user_code: TEXT,
  verification_uri: TEXT,
  verification_uri_complete: TEXT,
  qr: TEXT.meta({ description: 'verification_uri_complete as a picture, SVG' }),
  expires_in: z.int(),
  interval: z.int(),
});
export const SCREEN_DEVICE = described('ScreenDevice', {
  address: TEXT,
  agent: MAYBE_TEXT,
  created_at: TIME,
  expires_at: TIME,
});
const MADE_SCREEN = described('MadeScreen', { success: z.literal(true), id: TEXT, name: TEXT, ends_at: MAYBE_TIME });
const DEVICE_CODE = described('ScreenDeviceCode', { device_code: GIVEN_TEXT });
const USER_CODE = described('ScreenUserCode', { user_code: GIVEN_TEXT });
/** Any other field is refused: a misspelt `ends_at` must not become a screen without an end. */
const NEW_SCREEN = described('NewScreen', {
  user_code: GIVEN_TEXT.meta({ description: 'The letters that the display shows' }),
  name: GIVEN_TEXT,
  cameras: CAMERAS.nullish().meta({ description: 'Names of own cameras; null: all that the maker sees' }),
  ends_at: TIME.nullish().meta({ description: 'null: it does not end by itself' }),
});

/** The most screens of one user. */
const MOST_SCREENS = 100;
const NO_ACCOUNTS = 'Screens belong to accounts, and auth.enabled is false';
const FOR_PEOPLE = 'Only a person who is logged in can do this, and no guest';
const OVER = 'No display waits with this code: look at the display, it may show another one by now';

const route = declaring<ScreenServices>();

// biome-ignore format: a table
export const PAIRING_ROUTES: readonly OwnRoute<ScreenServices>[] = [
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

const CODE_SECONDS = 600;
const POLL_SECONDS = 5;
/** What a network takes off the time between two polls. */
const JITTER_SECONDS = 1;
/** Codes of all displays that wait. */
const MOST_CODES = 1000;
const FULL_SECONDS = 60;

/** RFC 8628 section 6.1: no vowels, so no words, and no letters that look like digits. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const TYPED = new RegExp(`^[${LETTERS}]{8}$`);
/** A code that is typed may have blanks and other dashes. */
const LONGEST_TYPED = 32;

/** Two halves, so that a person can read it out: `WDJB-MJHT`. */
const newUserCode = (): string => 'xxxx-xxxx'.replaceAll('x', () => LETTERS[randomInt(LETTERS.length)] ?? '');

/** The digest of letters as a person types them; undefined for what is no such code. */
function userCodeHash(typed: string): string | undefined {
  if (typed.length > LONGEST_TYPED) return undefined;
  const letters = typed.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  return TYPED.test(letters) ? hash('sha256', letters, 'base64url') : undefined;
}

async function begin({ ctx }: OpenCall, services: ScreenServices): Promise<object> {
  const { codes, clock, codeMakers, authEnabled, publicAddressOf, screens } = services;
  if (!authEnabled) throw new Refused(404, 'login-off', NO_ACCOUNTS);
  const { clientAddress: address, clientAgent } = ctx.state;
  const place = codeMakers.reserve(address);
  if (place.kind === 'limited') throw refusedUntil(place.retryAfterSeconds);
  place.keep();
  const [device_code, user_code, createdAt] = [newSecret(), newUserCode(), unixSeconds(clock)];
  const hashes = { deviceHash: secretHash(device_code) ?? '', userHash: userCodeHash(user_code) ?? '' };
  const times = { createdAt, expiresAt: createdAt + CODE_SECONDS };
  const agent = clientAgent === undefined ? null : shortText(clientAgent);
  const code = { ...hashes, ...times, address, agent, state: 'pending', screenId: null } as const;
  if ((await codes.addCode(code, MOST_CODES)) !== 'added') throw refusedUntil(FULL_SECONDS);
  const cleared = await screens.cookieCleared(ctx.get('Cookie'), ctx.state);
  if (cleared !== undefined) ctx.append('Set-Cookie', cleared);
  const page = publicAddressOf(PAIR_PATH) ?? `${findOrigin(ctx)}${ctx.state.basePath ?? ''}${PAIR_PATH}`;
  const complete = `${page}?code=${user_code}`;
  const places = { verification_uri: page, verification_uri_complete: complete, qr: await qrCode(complete) };
  return { device_code, user_code, ...places, expires_in: CODE_SECONDS, interval: POLL_SECONDS };
}

/** The address that the display's browser has of this service: it was compared with the Host before. */
function findOrigin(ctx: RouteContext): string {
  const origin = ctx.get('Origin');
  return origin === '' ? `${ctx.state.clientEncrypted ? 'https' : 'http'}://${ctx.host}` : origin;
}

async function poll({ ctx, body }: OpenCall<{ device_code: string }>, services: ScreenServices): Promise<object> {
  const place = services.screenLimiter.reserve(ctx.state.clientAddress);
  if (place.kind === 'limited') throw refusedUntil(place.retryAfterSeconds);
  const found = await settled(
    place,
    () => fetchScreen(body.device_code, services),
    (outcome) => outcome === 'invalid_grant',
  );
  if (typeof found === 'string') {
    respond(ctx, 400, { error: found });
    return ANSWERED;
  }
  const { secret, screen } = found;
  ctx.append('Set-Cookie', services.screens.screenCookie(secret, ctx.state));
  return { success: true, id: screen.id, name: screen.name, ends_at: screen.expiresAt };
}

/** The errors of RFC 8628 section 3.5. */
type PollError = 'authorization_pending' | 'slow_down' | 'expired_token' | 'access_denied' | 'invalid_grant';

/** The confirmed screen of that code, with its secret. */
async function fetchScreen(
  deviceCode: string,
  { codes, store: { grants }, clock }: ScreenServices,
): Promise<PollError | { readonly secret: string; readonly screen: Screen }> {
  const deviceHash = secretHash(deviceCode);
  const code = deviceHash === undefined ? undefined : await codes.findCode({ deviceHash });
  if (!code) return 'invalid_grant';
  const now = unixSeconds(clock);
  if (code.expiresAt <= now) return 'expired_token';
  if (code.state === 'denied') return 'access_denied';
  if (code.state === 'pending') {
    const isInTime = await codes.notePoll(code.deviceHash, now, POLL_SECONDS - JITTER_SECONDS);
    return isInTime ? 'authorization_pending' : 'slow_down';
  }
  const secret = newSecret();
  const outcome = await codes.pickUp(code.deviceHash, secretHash(secret) ?? '', now);
  const screen = outcome === 'gone' ? undefined : await grants.find('screen', { id: code.screenId ?? '' });
  // Revoked before the display came for it, or another one was faster.
  return screen ? { secret, screen } : 'access_denied';
}

/** The account of the caller. A guest's rights are lent, and not to be lent on. */
async function findPerson({ credential, name }: Caller, { store }: ScreenServices): Promise<User> {
  const user = credential.kind === 'session' ? await store.accounts.findUser(name) : undefined;
  if (!user || user.validUntil !== undefined) throw new Refused(403, 'not-for-guests', FOR_PEOPLE);
  return user;
}

const full = (place: Exclude<LimiterPlace, { kind: 'reserved' }>): Refused =>
  place.kind === 'limited' ? refusedWhileLimited(place) : refusedWhileBusy();

/**
 * Acts by letters that a person has typed: wrong ones are limited by account and by address, as codes of a second factor are.
 * `act` gives undefined for wrong ones. `recorded`: the reason of the audit line.
 */
async function byLetters<Found>(
  { typed, recorded }: { readonly typed: string; readonly recorded?: string },
  { caller, from }: Call<unknown>,
  services: ScreenServices,
  act: (userHash: string, person: User) => Promise<Found | undefined>,
): Promise<Found> {
  const person = await findPerson(caller, services);
  const isWrong = (found: Found | undefined) => found === undefined;
  const byAccount = await services.codeLimiter.reserve(`${person.name} screen`, false, { account: person.name });
  if (byAccount.kind !== 'reserved') throw full(byAccount);
  const attempt = async (): Promise<Found | undefined> => {
    const byAddress = await services.limiter.reserve(from, false, { account: person.name });
    if (byAddress.kind !== 'reserved') throw full(byAddress);
    const userHash = userCodeHash(typed);
    return settled(byAddress, async () => (userHash === undefined ? undefined : act(userHash, person)), isWrong);
  };
  const found = await settled(byAccount, attempt, isWrong);
  if (found === undefined) throw new Refused(404, 'code-unknown', OVER, recorded === undefined ? {} : { recorded });
  return found;
}

/** A page of another site must not use up a person's tries, not even by leading the browser here. */
async function look(call: Call, services: ScreenServices): Promise<object> {
  if (call.ctx?.get('Sec-Fetch-Site') === 'cross-site') throw refusedFor('cross-site');
  const [typed = '', ...more] = call.query.getAll('user_code');
  const letters = { typed: more.length === 0 ? typed : '' };
  const { address, agent, createdAt, expiresAt } = await byLetters(letters, call, services, async (userHash) => {
    const found = await services.codes.findCode({ userHash });
    return found?.state === 'pending' && found.expiresAt > unixSeconds(services.clock) ? found : undefined;
  });
  return { address, agent, created_at: createdAt, expires_at: expiresAt };
}

async function confirm(call: Call<Readonly<Record<string, unknown>>>, services: ScreenServices): Promise<object> {
  const { user_code: typed } = orRefusedFields(fieldsIn(USER_CODE, call.body));
  const screen = await byLetters({ typed, recorded: 'code-unknown' }, call, services, (userHash, person) =>
    makeScreen(userHash, person, call, services),
  );
  const { id, name, cameras, expiresAt: ends_at } = screen;
  call.note({ screenId: id, screen: name });
  return { id, name, cameras, ends_at };
}

/** Undefined: no display waits with this code. */
async function makeScreen(
  userHash: string,
  { name: user, createdAt: userCreatedAt }: User,
  { caller, body }: Call<Readonly<Record<string, unknown>>>,
  { codes, clock }: ScreenServices,
): Promise<Screen | undefined> {
  const createdAt = unixSeconds(clock);
  const wanted = {
    name: screenName(body['name']),
    cameras: screenCameras(body['cameras'], caller.scope),
    expiresAt: grantEnd('ends_at', body['ends_at'], createdAt),
  };
  const { agent = null } = (await codes.findCode({ userHash })) ?? {};
  const made = { id: newGrantId(), secretHash: null, user, userCreatedAt, createdAt, agent };
  const screen: Screen = { ...NEW_GRANT, ...made, ...wanted };
  const outcome = await codes.confirmCode(userHash, screen, MOST_SCREENS);
  if (outcome === 'absent' || outcome === 'too-many') throw notKept(outcome, 'screen', screen, MOST_SCREENS);
  return outcome === 'confirmed' ? screen : undefined;
}

async function deny(call: Call<{ user_code: string }>, services: ScreenServices): Promise<void> {
  await byLetters({ typed: call.body.user_code }, call, services, async (userHash) =>
    (await services.codes.denyCode(userHash, unixSeconds(services.clock))) === 'denied' ? true : undefined,
  );
}
