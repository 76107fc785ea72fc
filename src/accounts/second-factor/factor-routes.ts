/** `/api/second-factor`: one's own second factors; an admin removes those of others (SPEC 12). */
import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import type { Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { answer, BODY_NO, described, SUCCESS } from '../../routes/shapes.ts';
import { PASSKEY, RECOVERY_CODES, SECOND_FACTOR, TOTP_OFFER } from '../http/answers.ts';
import { CODE, GIVEN_TEXT } from '../http/json-body.ts';
import { type Call, declaring, Refused, refusedFor, unfit } from '../http/kernel.ts';
import { keepSession } from '../sessions/session-routes.ts';
import {
  base32,
  firstFactor,
  hashCodes,
  isFactorRequired,
  matchingStep,
  newEpoch,
  newRecoveryCodes,
  qrCode,
  TOTP_SECRET_BYTES,
  totpUri,
  withFactor,
  withoutFactor,
} from './second-factor.ts';

export const OFF = 'Second factors are turned off here: auth.second_factor is "off"';
const NO_ACCOUNT = 'Second factors belong to an account: log in with its password';
const NONE_WAITS = 'No secret waits for a code: begin with POST /api/second-factor/totp';
const WRONG_CODE = 'The code is not right: is the clock of the phone right?';
const NO_FACTOR = 'There is no second factor';

const CONFIRMED = described('Code', { code: GIVEN_TEXT.meta(CODE) });
const OWN = { access: 'any', proof: 'credentials', writes: true, note: "the caller's own" } as const;

/** How long a secret waits for its first code. */
const WAIT_SECONDS = 900;
/** The name in the list of an authenticator app. */
const SERVICE = 'Postern';

type FactorServices = Pick<Services, 'store' | 'settings' | 'sealer' | 'clock' | 'sessions'>;

const route = declaring<Services>();

/** Routes with "enrolment" are also for a caller who must set up a second factor before anything else. */
// biome-ignore format: a table
export const FACTOR_ROUTES = [
  route({ route: 'GET /api/second-factor', access: 'any', enrolment: true, note: "the caller's own", summary: "One's own second factors", yes: [200, SECOND_FACTOR], run: show }),
  route({ route: 'POST /api/second-factor/totp', ...OWN, enrolment: true, summary: 'A secret for an authenticator app, good once a code confirms it', yes: [200, TOTP_OFFER], no: [409], run: offer }),
  route({ route: 'DELETE /api/second-factor/totp', ...OWN, enrolment: true, summary: 'Remove the authenticator app', yes: [200, SUCCESS], no: [404], act: 'second-factor-removed', run: removeTotp }),
  route({ route: 'POST /api/second-factor/totp/confirm', ...OWN, enrolment: true, summary: 'The first code: the authenticator app is set up', body: CONFIRMED, yes: [200, RECOVERY_CODES], no: [...BODY_NO, 409], act: 'second-factor-added', before: enrolling, run: confirm }),
  route({ route: 'POST /api/second-factor/recovery-codes', ...OWN, summary: 'New recovery codes; the old ones are void', yes: [200, RECOVERY_CODES], no: [409], act: 'recovery-codes-made', run: makeRecoveryCodes }),
  route({ route: 'DELETE /api/users/{user}/second-factor', access: 'admin', who: 'admin', proof: 'credentials', summary: "Remove a user's second factors", yes: [200, SUCCESS], no: [404], act: 'second-factor-removed', run: removeOf }),
];

/** The user behind a session: a token, a proxy's user and the internal listener have no factors. */
export async function ownUser({ caller }: Call<unknown>, { store }: Pick<Services, 'store'>): Promise<User> {
  if (caller.credential.kind !== 'session') throw new Refused(403, 'account-needed', NO_ACCOUNT);
  const user = await store.accounts.findUser(caller.name);
  if (!user) throw refusedFor('token-invalid');
  return user;
}

/** The same, where factors may be set up. */
export async function enrolling(call: Call<unknown>, deps: Pick<Services, 'store' | 'settings'>): Promise<User> {
  const user = await ownUser(call, deps);
  if (deps.settings.auth.second_factor === 'off') throw new Refused(409, 'second-factor-off', OFF);
  return user;
}

async function show(call: Call, deps: FactorServices): Promise<z.output<typeof SECOND_FACTOR>> {
  const { name, role } = await ownUser(call, deps);
  const { secondFactor } = deps.store;
  const { second_factor: mode } = deps.settings.auth;
  return {
    required: isFactorRequired(mode, role),
    ...(mode === 'off' && { off: true }),
    totp: (await secondFactor.findTotp(name))?.secret !== undefined,
    passkeys: (await secondFactor.listPasskeys(name)).map((passkey) => answer(PASSKEY, passkey)),
    recovery_codes_left: await secondFactor.countRecoveryCodes(name),
  };
}

/** A secret that counts once a code has confirmed it. */
async function offer(call: Call, deps: FactorServices): Promise<z.output<typeof TOTP_OFFER>> {
  const { name } = await enrolling(call, deps);
  const secret = randomBytes(TOTP_SECRET_BYTES);
  const until = unixSeconds(deps.clock) + WAIT_SECONDS;
  const started = await deps.store.secondFactor.startTotp(name, deps.sealer.seal(secret, name), until);
  if (started !== 'started') throw refusedFor('token-invalid');
  const uri = totpUri(secret, { user: name, service: SERVICE });
  return { secret: base32(secret), uri, qr: await qrCode(uri) };
}

async function confirm(call: Call<z.output<typeof CONFIRMED>>, deps: FactorServices): Promise<object> {
  const user = await ownUser(call, deps);
  const { secondFactor } = deps.store;
  call.note({ user: user.name, factor: 'totp' });
  const now = unixSeconds(deps.clock);
  const { pending: sealed, pendingUntil = 0 } = (await secondFactor.findTotp(user.name)) ?? {};
  const secret = sealed === undefined || pendingUntil <= now ? undefined : deps.sealer.open(sealed, user.name);
  if (sealed === undefined || !secret) throw unfit('none-waits', NONE_WAITS, 409);
  const step = matchingStep(secret, call.body.code.replace(/\s/g, ''), now);
  if (step === undefined) throw unfit('wrong-code', WRONG_CODE);
  const { codes, first } = firstFactor(user);
  const outcome = await secondFactor.confirmTotp(user.name, { sealed, step, first });
  if (outcome === 'gone') throw unfit('none-waits', NONE_WAITS, 409);
  await keepSession(call, withFactor(user, first, outcome), deps);
  return { recovery_codes: outcome === 'first' ? codes : [] };
}

async function removeTotp(call: Call, deps: FactorServices): Promise<void> {
  const user = await ownUser(call, deps);
  const epoch = newEpoch();
  const outcome = await deps.store.secondFactor.removeTotp(user.name, epoch);
  if (outcome === 'absent') throw new Refused(404, 'factor-absent', NO_FACTOR);
  call.note({ user: user.name, factor: 'totp' });
  await keepSession(call, withoutFactor(user, epoch, outcome), deps);
}

/** The old ones are void. A user without a factor has no use for them. */
async function makeRecoveryCodes(call: Call, deps: FactorServices): Promise<object> {
  const user = await enrolling(call, deps);
  const codes = newRecoveryCodes();
  const outcome = await deps.store.secondFactor.replaceRecoveryCodes(user.name, hashCodes(user.name, codes), user);
  if (outcome !== 'replaced') throw new Refused(409, 'factor-absent', NO_FACTOR);
  call.note({ user: user.name });
  return { recovery_codes: codes };
}

async function removeOf(call: Call, deps: FactorServices): Promise<void> {
  const { user: name = '' } = call.params;
  call.note({ user: name });
  const user = await deps.store.accounts.findUser(name);
  if (!user) throw unfit('user-absent', 'User not found', 404);
  const epoch = newEpoch();
  const outcome = await deps.store.secondFactor.removeFactors(user.name, epoch);
  if (outcome === 'absent') throw unfit('factor-absent', `${user.name} has no second factor`, 404);
  await keepSession(call, withoutFactor(user, epoch, outcome), deps);
}
