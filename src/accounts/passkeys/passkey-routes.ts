/** `/api/second-factor/passkeys`: one's own passkeys (SPEC 12). */
import Router from 'koa-router';
import type { User } from '../../domain/accounts/account.ts';
import { ok } from '../../domain/result.ts';
import type { RouteState } from '../../domain/verdict.ts';
import { stringFields } from '../http/body-fields.ts';
import { refuse, refuseFields, refuseFor, refuseMethod, respond } from '../http/responses.ts';
import { type AccountRouterContext, afterProof, fieldsOf, type Handler, jsonOf, record } from '../http/route-guards.ts';
import { type FactorRouteDeps, forUser, goOn, OFF, type UserHandler } from '../second-factor/factor-routes.ts';
import { newCredential } from './credential-json.ts';
import { type Added, MOST_PASSKEYS, type Passkeys } from './passkeys.ts';
import type { RelyingParty } from './relying-party.ts';

export interface PasskeyRouteDeps extends FactorRouteDeps {
  readonly passkeys: Passkeys;
}

type SiteHandler = (ctx: AccountRouterContext, user: User, site: RelyingParty) => Promise<void>;

const PATH = '/api/second-factor/passkeys';
export const USUAL_NAME = 'Passkey';
/** Shown in lists and audit lines. */
const NAME = /^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u;
const BAD_NAME = {
  loc: ['body', 'name'],
  msg: 'A name has 1 to 64 characters, and no control characters',
  type: 'value_error',
} as const;
const NO_PASSKEY = 'There is no such passkey';

export function createPasskeyRoutes(deps: PasskeyRouteDeps): Router<RouteState> {
  const router = new Router<RouteState>({ strict: true, sensitive: true });
  const changing = (handler: UserHandler): Handler => afterProof('credentials', deps, forUser(deps, handler));
  const enrolling = (handler: SiteHandler): Handler =>
    changing(async (ctx, user) => {
      const { site } = deps.passkeys;
      if (!deps.mayEnrol) return refuse(ctx, 409, OFF);
      return site.ok ? handler(ctx, user, site.value) : refuse(ctx, 409, site.error);
    });
  router.post(
    `${PATH}/options`,
    enrolling(async (ctx, user, site) =>
      respond(ctx, 200, await deps.passkeys.creationOptions(user, sessionOf(ctx), site)),
    ),
  );
  router.all(`${PATH}/options`, refuseMethod('POST'));
  router.post(
    PATH,
    enrolling((ctx, user, site) => add(ctx, user, site, deps)),
  );
  router.all(PATH, refuseMethod('POST'));
  router.patch(
    `${PATH}/:id`,
    forUser(deps, (ctx, user) => rename(ctx, user, deps)),
  );
  router.delete(
    `${PATH}/:id`,
    changing((ctx, user) => remove(ctx, user, deps)),
  );
  router.all(`${PATH}/:id`, refuseMethod('PATCH, DELETE'));
  return router;
}

async function add(ctx: AccountRouterContext, user: User, site: RelyingParty, deps: PasskeyRouteDeps): Promise<void> {
  const body = await jsonOf(ctx, deps);
  if (!body) return;
  const fields = stringFields(body.json, { required: [], optional: ['name'] });
  const credential = fields.ok ? newCredential(Object(body.json)['credential']) : fields;
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

function refuseAdding(ctx: AccountRouterContext, kind: Exclude<Added['kind'], 'added'>): void {
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

async function rename(ctx: AccountRouterContext, user: User, deps: PasskeyRouteDeps): Promise<void> {
  const body = await fieldsOf(ctx, deps, { required: ['name'] });
  if (!body) return;
  const name = passkeyName(body.name);
  if (!name.ok) return refuseFields(ctx, name.error);
  const outcome = await deps.passkeys.rename(user, idOf(ctx), name.value);
  if (outcome === 'absent') return refuse(ctx, 404, NO_PASSKEY);
  record(ctx, deps, { what: 'passkey-renamed', user: user.name });
  respond(ctx, 200, { success: true });
}

async function remove(ctx: AccountRouterContext, user: User, deps: PasskeyRouteDeps): Promise<void> {
  const left = await deps.passkeys.remove(user, idOf(ctx));
  if (!left) return refuse(ctx, 404, NO_PASSKEY);
  record(ctx, deps, { what: 'second-factor-removed', user: user.name, factor: 'passkey' });
  if (!left.hasFactor) await goOn(ctx, left, deps);
  respond(ctx, 200, { success: true });
}

/** A name as it is kept, or what is wrong with it. */
export function passkeyName(written: string) {
  const name = written.trim().normalize();
  return NAME.test(name) ? ok(name) : ({ ok: false, error: [BAD_NAME] } as const);
}

const idOf = (ctx: AccountRouterContext): string => ctx.params['id'] ?? '';

/** Other credentials were refused before: they have no factors. */
function sessionOf({ state }: AccountRouterContext): string {
  const { credential } = state.caller ?? {};
  return credential?.kind === 'session' ? credential.tokenId : '';
}
