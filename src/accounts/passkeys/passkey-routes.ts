/** `/api/second-factor/passkeys`: one's own passkeys (SPEC 12). */

import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import { ok } from '../../domain/result.ts';
import type { OwnRoute } from '../../routes/own-route.ts';
import { ANY, BODY_NO, named, SUCCESS } from '../../routes/shapes.ts';
import { ADDED_PASSKEY } from '../http/answers.ts';
import { GIVEN_TEXT, MAYBE_GIVEN_TEXT } from '../http/json-body.ts';
import { type Call, declaring, orRefusedFields, Refused, refusedFields, refusedFor, unfit } from '../http/kernel.ts';
import { refuseMethod } from '../http/responses.ts';
import { enrolling, ownUser } from '../second-factor/factor-routes.ts';
import { keepSession } from '../sessions/session-routes.ts';
import { NEW_CREDENTIAL, newCredential, type RelyingParty } from './credential.ts';
import { type Added, MOST_PASSKEYS, type Passkeys } from './passkeys.ts';

const PATH = '/api/second-factor/passkeys';
export const USUAL_NAME = 'Passkey';
/** Shown in lists and audit lines. */
const NAME = /^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u;
const NAME_SIZE = { minLength: 1, maxLength: 64 };
const BAD_NAME = {
  loc: ['body', 'name'],
  msg: 'A name has 1 to 64 characters, and no control characters',
  type: 'value_error',
} as const;
const NO_PASSKEY = 'There is no such passkey';
const LAST_WAY_IN =
  'This is the last way into your account: add another passkey, or connect a provider under Settings > Sign-ins first.';

/** `name` and `credential` of a body. */
export const NEW_PASSKEY = named(
  'NewPasskey',
  z.object({ name: MAYBE_GIVEN_TEXT.meta(NAME_SIZE), credential: NEW_CREDENTIAL }).meta({ required: ['credential'] }),
);
const RENAMED = named('Name', z.object({ name: GIVEN_TEXT.meta(NAME_SIZE) }));
const OWN = { access: 'any', writes: true, enrolment: true, note: "the caller's own" } as const;
const CHANGE = { ...OWN, proof: 'credentials' } as const;

type PasskeyServices = Pick<Services, 'store' | 'settings' | 'passkeys' | 'sessions'>;

const route = declaring<Services>();

// biome-ignore format: a table
export const PASSKEY_ROUTES: readonly OwnRoute<Services>[] = [
  route({ route: `POST ${PATH}/options`, ...CHANGE, summary: 'What to ask an authenticator for, to add a passkey', yes: [200, ANY], no: [409], run: options }),
  { route: `PATCH,DELETE ${PATH}/options`, ...OWN, handler: refuseMethod('POST') },
  route({ route: `POST ${PATH}`, ...CHANGE, summary: 'Add the passkey that the authenticator made', body: NEW_PASSKEY, yes: [201, ADDED_PASSKEY], no: [...BODY_NO, 409], act: 'second-factor-added', before: adding, run: add }),
  route({ route: `PATCH ${PATH}/{passkey}`, ...OWN, summary: 'Rename a passkey', body: RENAMED, yes: [200, SUCCESS], no: [...BODY_NO, 404], act: 'passkey-renamed', before: ownUser, run: rename }),
  route({ route: `DELETE ${PATH}/{passkey}`, ...CHANGE, summary: 'Remove a passkey', yes: [200, SUCCESS], no: [404, 409], act: 'second-factor-removed', run: remove }),
];

/** The user who adds a passkey, and the site that it is for. */
async function adding(call: Call<unknown>, deps: PasskeyServices) {
  const user = await enrolling(call, deps);
  // Other credentials were refused before: they have no factors.
  const { credential } = call.caller;
  return { user, session: credential.kind === 'session' ? credential.tokenId : '', site: requireSite(deps.passkeys) };
}

/** The site of passkeys, or the refusal that says why there are none. */
export function requireSite({ site }: Pick<Passkeys, 'site'>): RelyingParty {
  if (!site.ok) throw new Refused(409, site.error);
  return site.value;
}

async function options(call: Call, deps: PasskeyServices): Promise<object> {
  const { user, session, site } = await adding(call, deps);
  return deps.passkeys.creationOptions(user, session, site);
}

async function add(call: Call<z.output<typeof NEW_PASSKEY>>, deps: PasskeyServices): Promise<object> {
  const by = await adding(call, deps);
  const credential = newCredential(call.body.credential);
  const name = passkeyName(call.body.name || USUAL_NAME);
  if (!credential.ok || !name.ok)
    throw refusedFields([...(credential.ok ? [] : credential.error), ...(name.ok ? [] : name.error)]);
  const outcome = await deps.passkeys.add(credential.value, { ...by, name: name.value });
  call.note({ user: by.user.name, factor: 'passkey' });
  if (outcome.kind !== 'added') throw notAdded(outcome.kind);
  await keepSession(call, outcome.user, deps);
  const { id, createdAt, lastUsedAt } = outcome.passkey;
  const shown = { id, name: name.value, created_at: createdAt, last_used_at: lastUsedAt };
  return { ...shown, recovery_codes: outcome.recoveryCodes ?? [] };
}

function notAdded(kind: Exclude<Added['kind'], 'added'>): Refused {
  const recorded = `passkey-${kind}`;
  if (kind === 'gone') return refusedFor('token-invalid', {}, { recorded });
  const { status, message } = NOT_ADDED[kind];
  return unfit(recorded, message, status);
}

// biome-ignore format: a table
export const NOT_ADDED = {
  foreign: { status: 400, message: 'The passkey was asked for by another session: begin with POST /api/second-factor/passkeys/options' },
  over:    { status: 400, message: 'The passkey took longer than five minutes: begin again' },
  unfit:   { status: 400, message: 'The passkey was not made for this address, or in a way that is not accepted here' },
  spent:   { status: 409, message: 'This response was used already: begin again' },
  taken:   { status: 409, message: 'This passkey is set up already' },
  full:    { status: 409, message: `There are ${MOST_PASSKEYS} passkeys already: remove one first` },
} as const;

async function rename(call: Call<z.output<typeof RENAMED>>, deps: PasskeyServices): Promise<void> {
  const user = await ownUser(call, deps);
  const name = orRefusedFields(passkeyName(call.body.name));
  const outcome = await deps.passkeys.rename(user, idIn(call), name);
  if (outcome === 'absent') throw new Refused(404, NO_PASSKEY);
  call.note({ user: user.name });
}

async function remove(call: Call, deps: PasskeyServices): Promise<void> {
  const user = await ownUser(call, deps);
  const outcome = await deps.passkeys.remove(user, idIn(call));
  call.note({ user: user.name, factor: 'passkey' });
  switch (outcome.kind) {
    case 'absent':
      throw new Refused(404, NO_PASSKEY);
    case 'gone':
      throw refusedFor('token-invalid');
    case 'last-way-in':
      throw new Refused(409, LAST_WAY_IN, { recorded: outcome.kind, fields: { reason: outcome.kind } });
    case 'removed':
      if (!outcome.user.hasFactor) await keepSession(call, outcome.user, deps);
  }
}

/** A name as it is kept, or what is wrong with it. */
export function passkeyName(written: string) {
  const name = written.trim().normalize();
  return NAME.test(name) ? ok(name) : ({ ok: false, error: [BAD_NAME] } as const);
}

const idIn = ({ params }: Call<unknown>): string => params['passkey'] ?? '';
