/** `/api/account/sign-ins`: the providers that one's own account is connected with (SPEC 16). */
import { z } from 'zod';
import type { AccountStore } from '../../domain/accounts/account.ts';
import type { SignInStore } from '../../domain/accounts/sign-in.ts';
import type { Caller } from '../../domain/caller.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { named, SUCCESS } from '../../routes/shapes.ts';
import { shortText } from '../audit.ts';
import { SIGN_IN } from '../http/answers.ts';
import { refuse, refuseFor, respond } from '../http/responses.ts';
import { type AccountResponseDeps, afterProof, forPeople, mayStill, record } from '../http/route-guards.ts';
import { beginAttempt, type OidcRouteDeps } from './oidc-routes.ts';

export interface SignInRouteDeps extends AccountResponseDeps, OidcRouteDeps {
  readonly store: Pick<AccountStore, 'findUser'>;
  readonly signIns: Pick<SignInStore, 'listSignIns' | 'disconnect'>;
}

const PATH = '/api/account/sign-ins';
/** Where the console lists them. */
const PAGE = '/postern/settings/sign-ins';
/** The address at the provider, to open in the same browser. */
export const AT_PROVIDER = named('AtProvider', z.object({ url: z.string() }));
/** Why a sign-in stays. */
const KEPT = {
  'last-way-in':
    'This is the last way into your account: set a password or a passkey first, or connect another provider.',
  'gives-role':
    'Your role comes from this sign-in: ask an administrator, who can set your role by hand under Settings > Users. Then you can disconnect it.',
} as const;

// biome-ignore format: a table
export const SIGN_IN_ROUTES: readonly OwnRoute<SignInRouteDeps>[] = [
  { route: `GET ${PATH}`, access: 'any', note: "the caller's own", summary: "One's own sign-ins with providers", yes: [200, z.array(SIGN_IN)], no: [409], handler: list },
  { route: `POST ${PATH}/{provider}`, access: 'any', writes: true, note: "the caller's own", summary: 'Connect the own account with a provider: the address to go on at', yes: [200, AT_PROVIDER], no: [404, 409], handler: forPeople(afterProof('credentials', connect)) },
  { route: `DELETE ${PATH}/{provider}`, access: 'any', writes: true, note: "the caller's own", summary: 'Disconnect the own account from a provider', yes: [200, SUCCESS], no: [404, 409], handler: forPeople(afterProof('credentials', disconnect)) },
];

type SessionCaller = Caller & { readonly credential: Extract<Caller['credential'], { kind: 'session' }> };

/** A person with an account here; undefined when the response is set already. */
function personOf(ctx: RouteContext): SessionCaller | undefined {
  const { caller } = ctx.state;
  if (!caller) return void refuseFor(ctx, 'no-credentials');
  return caller.credential.kind === 'session' ? (caller as SessionCaller) : void refuseFor(ctx, 'person-needed');
}

async function list(ctx: RouteContext, { signIns }: SignInRouteDeps): Promise<void> {
  const caller = personOf(ctx);
  if (!caller) return;
  const own = await signIns.listSignIns(caller.name);
  const shown = own.map(
    ({ provider, subject, connectedAt, lastUsedAt }): z.output<typeof SIGN_IN> => ({
      provider,
      subject,
      connected_at: connectedAt,
      last_used_at: lastUsedAt,
    }),
  );
  respond(ctx, 200, shown);
}

async function connect(ctx: RouteContext, deps: SignInRouteDeps): Promise<void> {
  const caller = personOf(ctx);
  if (!caller || !(await mayStill(ctx, deps))) return;
  const user = await deps.store.findUser(caller.name);
  if (!user) return refuseFor(ctx, 'token-invalid');
  const { name, createdAt: userCreatedAt } = user;
  const purpose = { kind: 'connect', user: name, session: caller.credential.tokenId, userCreatedAt } as const;
  const returnTo = `${ctx.state.basePath ?? ''}${PAGE}`;
  const url = await beginAttempt(ctx, deps, { provider: ctx.params['provider'] ?? '', purpose, returnTo });
  if (url !== undefined) respond(ctx, 200, { url });
}

async function disconnect(ctx: RouteContext, deps: SignInRouteDeps): Promise<void> {
  const caller = personOf(ctx);
  if (!caller) return;
  const provider = ctx.params['provider'] ?? '';
  const outcome = await deps.signIns.disconnect(caller.name, provider, 'owner');
  const act = { what: 'sign-in-removed', user: caller.name, provider: shortText(provider) } as const;
  switch (outcome) {
    case 'disconnected':
      record(ctx, deps, act);
      return respond(ctx, 200, { success: true });
    case 'absent':
      return refuse(ctx, 404, 'Your account is not connected with that provider');
    case 'last-way-in':
    case 'gives-role':
      record(ctx, deps, act, outcome);
      return refuse(ctx, 409, KEPT[outcome], { reason: outcome });
  }
}
