/** `/api/second-factor/passkeys`: one's own passkeys (SPEC 12). */
import type { z } from 'zod';
import type { Services } from '../../app/services.ts';
import type { OwnRoute } from '../../routes/own-route.ts';
import { ANY, answer, BODY_NO, described, SUCCESS } from '../../routes/shapes.ts';
import { ADDED_PASSKEY } from '../http/answers.ts';
import { MAYBE_GIVEN_TEXT, NAME_SIZE, THING_NAME, thingName } from '../http/json-body.ts';
import { type Call, declaring, orRefusedFields, Refused, refusedFor, refuseMethod, unfit } from '../http/kernel.ts';
import { enrolling, ownUser } from '../second-factor/factor-routes.ts';
import { firstFactor, newEpoch, withFactor, withoutFactor } from '../second-factor/second-factor.ts';
import { keepSession } from '../sessions/session-routes.ts';
import { NEW_CREDENTIAL } from './credential.ts';
import { boundTo, creationOptions, MOST_PASSKEYS, newPasskey, notAdded, requireParty } from './passkeys.ts';

const PATH = '/api/second-factor/passkeys';
export const USUAL_NAME = 'Passkey';
const NO_PASSKEY = 'There is no such passkey';
const LAST_WAY_IN =
  'This is the last way into your account: add another passkey, or connect a provider under Settings > Sign-ins first.';

/** `name` and `credential` of a body. */
export const NEW_PASSKEY = described('NewPasskey', {
  name: MAYBE_GIVEN_TEXT.meta(NAME_SIZE),
  credential: NEW_CREDENTIAL,
});
const OWN = { access: 'any', writes: true, enrolment: true, note: "the caller's own" } as const;
const CHANGE = { ...OWN, proof: 'credentials' } as const;

const route = declaring<Services>();

// biome-ignore format: a table
export const PASSKEY_ROUTES: readonly OwnRoute<Services>[] = [
  route({ route: `POST ${PATH}/options`, ...CHANGE, summary: 'What to ask an authenticator for, to add a passkey', yes: [200, ANY], no: [409], run: options }),
  { route: `PATCH,DELETE ${PATH}/options`, ...OWN, handler: refuseMethod },
  route({ route: `POST ${PATH}`, ...CHANGE, summary: 'Add the passkey that the authenticator made', body: NEW_PASSKEY, yes: [201, ADDED_PASSKEY], no: [...BODY_NO, 409], act: 'second-factor-added', before: adding, run: add }),
  route({ route: `PATCH ${PATH}/{passkey}`, ...OWN, summary: 'Rename a passkey', body: THING_NAME, yes: [200, SUCCESS], no: [...BODY_NO, 404], act: 'passkey-renamed', before: ownUser, run: rename }),
  route({ route: `DELETE ${PATH}/{passkey}`, ...CHANGE, summary: 'Remove a passkey', yes: [200, SUCCESS], no: [404, 409], act: 'second-factor-removed', run: remove }),
];

/** The user who adds a passkey, the session by which it is added, and the relying party that it is for. */
async function adding(call: Call<unknown>, deps: Services) {
  const user = await enrolling(call, deps);
  // Other credentials were refused before: they have no factors.
  const { credential } = call.caller;
  const session = credential.kind === 'session' ? credential.tokenId : '';
  const scope = { to: 'add', ...boundTo(user), session } as const;
  return { user, scope, party: requireParty(deps) };
}

async function options(call: Call, deps: Services): Promise<object> {
  const { user, scope, party } = await adding(call, deps);
  return creationOptions(user, scope, party, deps);
}

async function add(call: Call<z.output<typeof NEW_PASSKEY>>, deps: Services): Promise<object> {
  const asked = await adding(call, deps);
  const { user } = asked;
  const name = orRefusedFields(thingName(call.body.name || USUAL_NAME));
  call.note({ user: user.name, factor: 'passkey' });
  const { passkey, challenge } = await newPasskey(call.body.credential, { ...asked, name }, deps);
  const { codes, first } = firstFactor(user);
  const outcome = await deps.store.secondFactor.addPasskey(passkey, { challenge, first, most: MOST_PASSKEYS });
  if (outcome !== 'first' && outcome !== 'more') throw notAdded(outcome);
  await keepSession(call, withFactor(user, first, outcome), deps);
  return answer(ADDED_PASSKEY, { ...passkey, recoveryCodes: outcome === 'first' ? codes : [] });
}

async function rename(call: Call<z.output<typeof THING_NAME>>, { store }: Services): Promise<void> {
  const user = await ownUser(call, { store });
  const name = orRefusedFields(thingName(call.body.name));
  const outcome = await store.secondFactor.renamePasskey(user.name, idIn(call), name);
  if (outcome === 'absent') throw new Refused(404, 'absent', NO_PASSKEY);
  call.note({ user: user.name });
}

async function remove(call: Call, deps: Services): Promise<void> {
  const user = await ownUser(call, deps);
  const epoch = newEpoch();
  const outcome = await deps.store.secondFactor.removePasskey(user.name, idIn(call), { epoch, known: user });
  call.note({ user: user.name, factor: 'passkey' });
  if (outcome === 'absent') throw new Refused(404, 'absent', NO_PASSKEY);
  if (outcome === 'gone') throw refusedFor('token-invalid');
  if (outcome === 'last-way-in') throw unfit(outcome, LAST_WAY_IN, 409);
  const left = withoutFactor(user, epoch, outcome);
  if (!left.hasFactor) await keepSession(call, left, deps);
}

const idIn = ({ params }: Call<unknown>): string => params['passkey'] ?? '';
