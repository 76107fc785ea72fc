/** `POST /api/reauthenticate`: the password, a code or a passkey again, for acts that a stolen session alone must not do (SPEC 12). */
import { z } from 'zod';
import type { AccountStore, User } from '../../domain/accounts/account.ts';
import type { Caller } from '../../domain/caller.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { ANY, BODY_NO, named } from '../../routes/shapes.ts';
import { whileThere } from '../http/leaving.ts';
import { refuse, refuseFields, refuseFor, refuseWhileBusy, refuseWhileLimited, respond } from '../http/responses.ts';
import { type AccountResponseDeps, jsonOf, record } from '../http/route-guards.ts';
import { cookieClientOf } from '../sessions/session-cookie.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { judgeProof, PROOF, type Proof, type ProofDeps, type ProofElsewhere, type Prover, proofIn } from './proof.ts';

export interface ReauthenticateDeps extends AccountResponseDeps, ProofDeps {
  readonly store: Pick<AccountStore, 'findUser'>;
  readonly sessions: Pick<Sessions, 'prove' | 'cookieFor'>;
  /** The address at the provider where the person is asked; undefined when the response is set already. */
  readonly askAtProvider: (ctx: RouteContext, prover: Prover, asked: ProofElsewhere) => Promise<string | undefined>;
}

const PATH = '/api/reauthenticate';
const PROVEN = named('Proven', z.object({ success: z.boolean().optional(), url: z.string().optional() }));
const WRONG = 'The password, the code or the passkey is not right.';

// biome-ignore format: a table
export const REAUTHENTICATE_ROUTES: readonly OwnRoute<ReauthenticateDeps>[] = [
  { route: `POST ${PATH}`, access: 'any', writes: true, enrolment: true, note: "the caller's own session", summary: 'Show again to be the person: the password, a code or a passkey; or the address of the provider that asks', body: PROOF, yes: [200, PROVEN], no: [...BODY_NO, 404, 409, 429], handler: reauthenticate },
  { route: `POST ${PATH}/options`, access: 'any', writes: true, enrolment: true, note: "the caller's own session", summary: 'What to ask a passkey for, as that proof', yes: [200, ANY], no: [409], handler: sendOptions },
];

async function sendOptions(ctx: RouteContext, deps: ReauthenticateDeps): Promise<void> {
  const prover = await proverOf(ctx, deps);
  if (!prover) return;
  const { site } = deps.passkeyCheck;
  if (!site.ok) return refuse(ctx, 409, site.error);
  respond(ctx, 200, await deps.passkeyCheck.proofOptions(prover.user, prover.session, site.value));
}

async function reauthenticate(ctx: RouteContext, deps: ReauthenticateDeps): Promise<void> {
  if (ctx.state.caller && !isSession(ctx.state.caller)) return refuseFor(ctx, 'reauthentication-required');
  const body = await jsonOf(ctx, deps);
  // The user as it is once the body has arrived.
  const prover = body && (await proverOf(ctx, deps));
  if (!prover) return;
  const proof = proofIn(body.json);
  if (!proof.ok) return refuseFields(ctx, proof.error);
  if (proof.value.kind === 'provider') {
    const url = await deps.askAtProvider(ctx, prover, proof.value);
    return url === undefined ? undefined : respond(ctx, 200, { url });
  }
  return judge(ctx, deps, prover, proof.value);
}

async function judge(ctx: RouteContext, deps: ReauthenticateDeps, prover: CallerAndUser, proof: Proof): Promise<void> {
  const { site } = deps.passkeyCheck;
  if (proof.kind === 'passkey' && !site.ok) return refuse(ctx, 409, site.error);
  const outcome = await whileThere(ctx.res, (signal) =>
    judgeProof(proof, { ...prover, signal }, site.ok ? site.value : undefined, deps),
  );
  const by = proof.kind === 'passkey' ? { factor: proof.kind } : {};
  const act = { what: 'reauthenticated', user: prover.user.name, ...by } as const;
  switch (outcome.kind) {
    case 'limited':
      record(ctx, deps, act, 'rate-limited');
      return refuseWhileLimited(ctx, outcome);
    case 'busy':
      record(ctx, deps, act, 'busy');
      return refuseWhileBusy(ctx);
    case 'wrong':
      record(ctx, deps, act, outcome.why);
      return refuse(ctx, 401, WRONG, { reason: 'not-proven' });
    case 'password-off':
      record(ctx, deps, act, outcome.kind);
      return refuseFor(ctx, outcome.kind);
    case 'proven': {
      const token = await deps.sessions.prove(prover.caller);
      if (token === undefined) return refuseFor(ctx, 'token-invalid');
      record(ctx, deps, act);
      ctx.set('Set-Cookie', deps.sessions.cookieFor(token, cookieClientOf(ctx.state)));
      return respond(ctx, 200, { success: true });
    }
  }
}

type SessionCaller = Caller & { readonly credential: Extract<Caller['credential'], { kind: 'session' }> };

const isSession = (caller: Caller): caller is SessionCaller => caller.credential.kind === 'session';

interface CallerAndUser extends Prover {
  readonly caller: Caller;
  readonly user: User;
}

/** Undefined when the response is set already. */
async function proverOf(ctx: RouteContext, deps: ReauthenticateDeps): Promise<CallerAndUser | undefined> {
  const { caller, clientAddress: address } = ctx.state;
  if (!caller) return void refuseFor(ctx, 'no-credentials');
  if (!isSession(caller)) return void refuseFor(ctx, 'reauthentication-required');
  const user = await deps.store.findUser(caller.name);
  return user ? { caller, user, session: caller.credential.tokenId, address } : void refuseFor(ctx, 'token-invalid');
}
