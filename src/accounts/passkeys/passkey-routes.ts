/** `/api/second-factor/passkeys`: one's own passkeys (SPEC 12). */
import { z } from 'zod';
import type { User } from '../../domain/accounts/account.ts';
import { ok } from '../../domain/result.ts';
import type { OwnRoute, RouteContext, RouteHandler } from '../../routes/own-route.ts';
import { ANY, BODY_NO, named, SUCCESS } from '../../routes/shapes.ts';
import { ADDED_PASSKEY } from '../http/answers.ts';
import { fieldsIn, GIVEN_TEXT, MAYBE_GIVEN_TEXT } from '../http/body-fields.ts';
import { refuse, refuseFields, refuseFor, refuseMethod, respond } from '../http/responses.ts';
import { fieldsOf, jsonOf, record } from '../http/route-guards.ts';
import { changing, type FactorRouteDeps, forUser, goOn, OFF } from '../second-factor/factor-routes.ts';
import { NEW_CREDENTIAL, newCredential } from './credential-json.ts';
import { type Added, MOST_PASSKEYS, type Passkeys } from './passkeys.ts';
import type { RelyingParty } from './relying-party.ts';

export interface PasskeyRouteDeps extends FactorRouteDeps {
  readonly passkeys: Passkeys;
}

type SiteHandler = (ctx: RouteContext, deps: PasskeyRouteDeps, user: User, site: RelyingParty) => Promise<void>;

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

// biome-ignore format: a table
export const PASSKEY_ROUTES: readonly OwnRoute<PasskeyRouteDeps>[] = [
  { route: `POST ${PATH}/options`, ...OWN, summary: 'What to ask an authenticator for, to add a passkey', yes: [200, ANY], no: [409],
    handler: enrolling(async (ctx, { passkeys }, user, site) => respond(ctx, 200, await passkeys.creationOptions(user, sessionOf(ctx), site))) },
  { route: `PATCH,DELETE ${PATH}/options`, ...OWN, handler: refuseMethod('POST') },
  { route: `POST ${PATH}`, ...OWN, summary: 'Add the passkey that the authenticator made', body: NEW_PASSKEY, yes: [201, ADDED_PASSKEY], no: [...BODY_NO, 409], handler: enrolling(add) },
  { route: `PATCH ${PATH}/{passkey}`, ...OWN, summary: 'Rename a passkey', body: RENAMED, yes: [200, SUCCESS], no: [...BODY_NO, 404], handler: forUser(rename) },
  { route: `DELETE ${PATH}/{passkey}`, ...OWN, summary: 'Remove a passkey', yes: [200, SUCCESS], no: [404, 409], handler: changing(remove) },
];

function enrolling(handler: SiteHandler): RouteHandler<PasskeyRouteDeps> {
  return changing(async (ctx, deps, user) => {
    const { site } = deps.passkeys;
    if (!deps.mayEnrol) return refuse(ctx, 409, OFF);
    return site.ok ? handler(ctx, deps, user, site.value) : refuse(ctx, 409, site.error);
  });
}

async function add(ctx: RouteContext, deps: PasskeyRouteDeps, user: User, site: RelyingParty): Promise<void> {
  const body = await jsonOf(ctx, deps);
  if (!body) return;
  const fields = fieldsIn(NEW_PASSKEY, body.json);
  const credential = fields.ok ? newCredential(fields.value.credential) : fields;
  const name = passkeyName(fields.ok ? fields.value.name || USUAL_NAME : USUAL_NAME);
  const faults = [...(credential.ok ? [] : credential.error), ...(name.ok ? [] : name.error)];
  if (!credential.ok || !name.ok) return refuseFields(ctx, faults);
  const by = { user, session: sessionOf(ctx), name: name.value, site };
  const outcome = await deps.passkeys.add(credential.value, by);
  const act = { what: 'second-factor-added', user: user.name, factor: 'passkey' } as const;
  if (outcome.kind !== 'added') {
    record(ctx, deps, act, `passkey-${outcome.kind}`);
    return refuseAdding(ctx, outcome.kind);
  }
  record(ctx, deps, act);
  await goOn(ctx, outcome.user, deps);
  const { id, createdAt, lastUsedAt } = outcome.passkey;
  const shown = { id, name: name.value, created_at: createdAt, last_used_at: lastUsedAt };
  respond(ctx, 201, { ...shown, recovery_codes: outcome.recoveryCodes ?? [] });
}

function refuseAdding(ctx: RouteContext, kind: Exclude<Added['kind'], 'added'>): void {
  if (kind === 'gone') refuseFor(ctx, 'token-invalid');
  else refuse(ctx, NOT_ADDED[kind].status, NOT_ADDED[kind].message);
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

async function rename(ctx: RouteContext, deps: PasskeyRouteDeps, user: User): Promise<void> {
  const body = await fieldsOf(ctx, deps, RENAMED);
  if (!body) return;
  const name = passkeyName(body.name);
  if (!name.ok) return refuseFields(ctx, name.error);
  const outcome = await deps.passkeys.rename(user, idOf(ctx), name.value);
  if (outcome === 'absent') return refuse(ctx, 404, NO_PASSKEY);
  record(ctx, deps, { what: 'passkey-renamed', user: user.name });
  respond(ctx, 200, { success: true });
}

async function remove(ctx: RouteContext, deps: PasskeyRouteDeps, user: User): Promise<void> {
  const outcome = await deps.passkeys.remove(user, idOf(ctx));
  const act = { what: 'second-factor-removed', user: user.name, factor: 'passkey' } as const;
  switch (outcome.kind) {
    case 'absent':
      return refuse(ctx, 404, NO_PASSKEY);
    case 'gone':
      return refuseFor(ctx, 'token-invalid');
    case 'last-way-in':
      record(ctx, deps, act, outcome.kind);
      return refuse(ctx, 409, LAST_WAY_IN, { reason: outcome.kind });
    case 'removed':
      record(ctx, deps, act);
      if (!outcome.user.hasFactor) await goOn(ctx, outcome.user, deps);
      return respond(ctx, 200, { success: true });
  }
}

/** A name as it is kept, or what is wrong with it. */
export function passkeyName(written: string) {
  const name = written.trim().normalize();
  return NAME.test(name) ? ok(name) : ({ ok: false, error: [BAD_NAME] } as const);
}

const idOf = (ctx: RouteContext): string => ctx.params['passkey'] ?? '';

/** Other credentials were refused before: they have no factors. */
function sessionOf({ state }: RouteContext): string {
  const { credential } = state.caller ?? {};
  return credential?.kind === 'session' ? credential.tokenId : '';
}
