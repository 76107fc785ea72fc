/** `/api/second-factor`: one's own second factors; an admin removes those of others (SPEC 12). */

import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import { BODY_NO, named, SUCCESS } from '../../routes/shapes.ts';
import { RECOVERY_CODES, SECOND_FACTOR, TOTP_OFFER } from '../http/answers.ts';
import { CODE, GIVEN_TEXT } from '../http/json-body.ts';
import { type Call, declaring, Refused, refusedFor, unfit } from '../http/kernel.ts';
import { keepSession } from '../sessions/session-routes.ts';

export const OFF = 'Second factors are turned off here: auth.second_factor is "off"';
const NO_ACCOUNT = 'Second factors belong to an account: log in with its password';
const NONE_WAITS = 'No secret waits for a code: begin with POST /api/second-factor/totp';
const WRONG_CODE = 'The code is not right: is the clock of the phone right?';
const NO_FACTOR = 'There is no second factor';

const CONFIRMED = named('Code', z.object({ code: GIVEN_TEXT.meta(CODE) }));
const OWN = { access: 'any', proof: 'credentials', writes: true, note: "the caller's own" } as const;

type FactorServices = Pick<Services, 'store' | 'settings' | 'enrolment' | 'sessions'>;

const route = declaring<Services>();

/** Routes with "enrolment" are also for a caller who must set up a second factor before anything else. */
// biome-ignore format: a table
export const FACTOR_ROUTES = [
  route({ route: 'GET /api/second-factor', access: 'any', enrolment: true, note: "the caller's own", summary: "One's own second factors", yes: [200, SECOND_FACTOR],
    run: async (call, deps) => deps.enrolment.stateOf(await ownUser(call, deps)) }),
  route({ route: 'POST /api/second-factor/totp', ...OWN, enrolment: true, summary: 'A secret for an authenticator app, good once a code confirms it', yes: [200, TOTP_OFFER], no: [409], run: offer }),
  route({ route: 'DELETE /api/second-factor/totp', ...OWN, enrolment: true, summary: 'Remove the authenticator app', yes: [200, SUCCESS], no: [404], act: 'second-factor-removed', run: removeTotp }),
  route({ route: 'POST /api/second-factor/totp/confirm', ...OWN, enrolment: true, summary: 'The first code: the authenticator app is set up', body: CONFIRMED, yes: [200, RECOVERY_CODES], no: [...BODY_NO, 409], act: 'second-factor-added', before: enrolling, run: confirm }),
  route({ route: 'POST /api/second-factor/recovery-codes', ...OWN, summary: 'New recovery codes; the old ones are void', yes: [200, RECOVERY_CODES], no: [409], act: 'recovery-codes-made', run: makeRecoveryCodes }),
  route({ route: 'DELETE /api/users/{user}/second-factor', access: 'admin', who: 'admin', proof: 'credentials', summary: "Remove a user's second factors", yes: [200, SUCCESS], no: [404], act: 'second-factor-removed', run: removeOf }),
];

/** The user behind a session: a token, a proxy's user and the internal listener have no factors. */
export async function ownUser({ caller }: Call<unknown>, { store }: Pick<Services, 'store'>): Promise<User> {
  if (caller.credential.kind !== 'session') throw new Refused(403, NO_ACCOUNT);
  const user = await store.accounts.findUser(caller.name);
  if (!user) throw refusedFor('token-invalid');
  return user;
}

/** The same, where factors may be set up. */
export async function enrolling(call: Call<unknown>, deps: Pick<Services, 'store' | 'settings'>): Promise<User> {
  const user = await ownUser(call, deps);
  if (deps.settings.auth.second_factor === 'off') throw new Refused(409, OFF);
  return user;
}

async function offer(call: Call, deps: FactorServices): Promise<object> {
  const offered = await deps.enrolment.offerTotp(await enrolling(call, deps));
  if (!offered) throw refusedFor('token-invalid');
  return offered;
}

async function confirm(call: Call<z.output<typeof CONFIRMED>>, deps: FactorServices): Promise<object> {
  const user = await ownUser(call, deps);
  call.note({ user: user.name, factor: 'totp' });
  const outcome = await deps.enrolment.confirmTotp(user, call.body.code);
  if (outcome.kind !== 'confirmed')
    throw outcome.kind === 'wrong-code' ? unfit(outcome.kind, WRONG_CODE) : unfit(outcome.kind, NONE_WAITS, 409);
  await keepSession(call, outcome.user, deps);
  return { recovery_codes: outcome.recoveryCodes ?? [] };
}

async function removeTotp(call: Call, deps: FactorServices): Promise<void> {
  const user = await ownUser(call, deps);
  const left = await deps.enrolment.removeTotp(user);
  if (!left) throw new Refused(404, NO_FACTOR);
  call.note({ user: user.name, factor: 'totp' });
  await keepSession(call, left, deps);
}

async function makeRecoveryCodes(call: Call, deps: FactorServices): Promise<object> {
  const user = await enrolling(call, deps);
  const codes = await deps.enrolment.newRecoveryCodes(user);
  if (!codes) throw new Refused(409, NO_FACTOR);
  call.note({ user: user.name });
  return { recovery_codes: codes };
}

async function removeOf(call: Call, deps: FactorServices): Promise<void> {
  const { user: name = '' } = call.params;
  call.note({ user: name });
  const user = await deps.store.accounts.findUser(name);
  if (!user) throw unfit('user-absent', 'User not found', 404);
  const left = await deps.enrolment.removeAll(user);
  if (!left) throw unfit('factor-absent', `${user.name} has no second factor`, 404);
  await keepSession(call, left, deps);
}
