/** `/api/account/sign-ins`: the providers that one's own account is connected with (SPEC 16). */

import { z } from 'zod';
import { SIGN_IN } from '../../accounts/http/answers.ts';
import { ANSWERED, type Call, checkRightsAgain, declaring, Refused, refusedFor } from '../../accounts/http/kernel.ts';
import type { Services } from '../../app/services.ts';
import { answer, described, SUCCESS } from '../../routes/shapes.ts';
import { beginAttempt, type OidcServices } from './oidc-routes.ts';

const PATH = '/api/account/sign-ins';
/** Where the console lists them. */
const PAGE = '/postern/settings/sign-ins';
/** The address at the provider, to open in the same browser. */
export const AT_PROVIDER = described('AtProvider', { url: z.string() });
/** Why a sign-in stays. */
const KEPT = {
  'last-way-in':
    'This is the last way into your account: set a password or a passkey first, or connect another provider.',
  'gives-role':
    'Your role comes from this sign-in: ask an administrator, who can set your role by hand under Settings > Users. Then you can disconnect it.',
} as const;

const OWN = { access: 'any', note: "the caller's own" } as const;
const CHANGE = { access: 'any', writes: true, note: OWN.note, who: 'person', proof: 'credentials' } as const;

const route = declaring<OidcServices>();

// biome-ignore format: a table
export const SIGN_IN_ROUTES = [
  route({ route: `GET ${PATH}`, ...OWN, summary: "One's own sign-ins with providers", yes: [200, z.array(SIGN_IN)], no: [409], run: list }),
  route({ route: `POST ${PATH}/{provider}`, ...CHANGE, summary: 'Connect the own account with a provider: the address to go on at', yes: [200, AT_PROVIDER], no: [404, 409], run: connect }),
  route({ route: `DELETE ${PATH}/{provider}`, ...CHANGE, summary: 'Disconnect the own account from a provider', yes: [200, SUCCESS], no: [404, 409], act: 'sign-in-removed', run: disconnect }),
];

/** A person with an account here. */
function personIn({ caller }: Call) {
  if (caller.credential.kind !== 'session') throw refusedFor('person-needed');
  return { name: caller.name, session: caller.credential.tokenId };
}

async function list(call: Call, { store }: Pick<Services, 'store'>): Promise<object> {
  return (await store.signIns.listSignIns(personIn(call).name)).map((own) => answer(SIGN_IN, own));
}

async function connect(call: Call, deps: OidcServices): Promise<object> {
  const { name, session } = personIn(call);
  const { ctx, params } = call;
  if (!ctx) throw refusedFor('person-needed');
  await checkRightsAgain(ctx, deps);
  const user = await deps.store.accounts.findUser(name);
  if (!user) throw refusedFor('token-invalid');
  const purpose = { kind: 'connect', user: user.name, session, userCreatedAt: user.createdAt } as const;
  const returnTo = `${ctx.state.basePath ?? ''}${PAGE}`;
  const url = await beginAttempt(ctx, deps, { provider: params['provider'] ?? '', purpose, returnTo });
  return url === undefined ? ANSWERED : { url };
}

async function disconnect(call: Call, { store }: Pick<Services, 'store'>): Promise<void> {
  const { name } = personIn(call);
  const { provider = '' } = call.params;
  const outcome = await store.signIns.disconnect(name, provider, 'owner');
  call.note({ user: name, provider });
  if (outcome === 'absent')
    throw new Refused(404, 'sign-in-absent', 'Your account is not connected with that provider');
  if (outcome !== 'disconnected') throw new Refused(409, outcome, KEPT[outcome], { recorded: outcome });
}
