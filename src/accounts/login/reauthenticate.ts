/** `POST /api/reauthenticate`: the password, a code or a passkey again, judged within the limits, for acts that a stolen session alone must not do (SPEC 12). And what an identity provider gives for logins and proofs. */
import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import type { RouteContext } from '../../routes/own-route.ts';
import { ANY, BODY_NO, described } from '../../routes/shapes.ts';
import { CODE, MAYBE_GIVEN_TEXT } from '../http/json-body.ts';
import { ANSWERED, type Call, declaring, Refused, refusedFields, refusedFor } from '../http/kernel.ts';
import { ASSERTION } from '../passkeys/credential.ts';
import { boundTo, judgePasskey, requestOptions, requireParty } from '../passkeys/passkeys.ts';
import type { ProviderSessions } from '../sessions/sessions.ts';
import { type Guessed, guessed, guessOnAccount, judgeCode, judgeGuess, whileThere } from './guesses.ts';

const PATH = '/api/reauthenticate';
const PROVEN = described('Proven', { success: z.boolean().optional(), url: z.string().optional() });
const WRONG = 'The password, the code or the passkey is not right.';

const OWN = { access: 'any', writes: true, enrolment: true, note: "the caller's own session" } as const;

const PROOF = described('Proof', {
  password: MAYBE_GIVEN_TEXT,
  code: MAYBE_GIVEN_TEXT.meta(CODE),
  credential: ASSERTION.nullish(),
  provider: MAYBE_GIVEN_TEXT.meta({ description: 'The name of a provider that the account is connected with' }),
  return_to: MAYBE_GIVEN_TEXT.meta({ description: 'The page to come back to from the provider' }),
});
const ONE_OF_FOUR = {
  loc: ['body'],
  msg: 'Give the password, a code, a passkey or a provider',
  type: 'value_error',
} as const;

/** The person is asked by the provider of that name, and comes back from there. */
export interface ProofElsewhere {
  readonly name: string;
  /** The page to come back to, as the client wishes it; '' for none. */
  readonly returnTo: string;
}

/** `session`: the id of its tokens. */
export interface Prover {
  readonly user: User;
  readonly session: string;
  readonly address: string;
}

const route = declaring<Services>();

// biome-ignore format: a table
export const REAUTHENTICATE_ROUTES = [
  route({ route: `POST ${PATH}`, ...OWN, summary: 'Show again to be the person: the password, a code or a passkey; or the address of the provider that asks', body: PROOF, yes: [200, PROVEN], no: [...BODY_NO, 404, 409, 429], before: sessionIn, run: reauthenticate }),
  route({ route: `POST ${PATH}/options`, ...OWN, summary: 'What to ask a passkey for, as that proof', yes: [200, ANY], no: [409], run: options }),
];

/** The id of the caller's session. */
function sessionIn({ caller: { credential } }: Call<unknown>): string {
  if (credential.kind !== 'session') throw refusedFor('reauthentication-required');
  return credential.tokenId;
}

async function findProver(call: Call<unknown>, { store }: Pick<Services, 'store'>): Promise<Prover> {
  const session = sessionIn(call);
  const user = await store.accounts.findUser(call.caller.name);
  if (!user) throw refusedFor('token-invalid');
  return { user, session, address: call.from };
}

async function options(call: Call, deps: Services): Promise<object> {
  const { user, session } = await findProver(call, deps);
  return requestOptions({ to: 'prove', ...boundTo(user), session }, user, requireParty(deps), deps);
}

async function reauthenticate(
  { caller, ctx, record, body, ...call }: Call<z.output<typeof PROOF>>,
  deps: Services,
): Promise<object | undefined> {
  // The user as it is once the body has arrived.
  const prover = await findProver({ ...call, caller, body, record }, deps);
  const { password, code, credential, provider, return_to: returnTo = '' } = body;
  if ([password, code, credential, provider].filter(Boolean).length !== 1) throw refusedFields([ONE_OF_FOUR]);
  if (!ctx) throw refusedFor('reauthentication-required');
  if (provider) {
    const url = await deps.providers.ask(ctx, deps, prover, { name: provider, returnTo });
    return url === undefined ? ANSWERED : { url };
  }
  const passkey = credential && { shown: credential, party: requireParty(deps) };
  const { user, session: knownSession, address } = prover;
  const act = { what: 'reauthenticated', user: user.name, ...(passkey && { factor: 'passkey' as const }) } as const;
  const judged = whileThere(ctx.res, (signal): Promise<Guessed<unknown>> => {
    if (code) return judgeCode({ user, address, signal, knownSession, code }, deps);
    return guessOnAccount({ user, signal, knownSession }, deps, async (): Promise<Guessed<unknown>> => {
      const of = { account: user.name, signal };
      if (!passkey) {
        const storedHash = async () => user.passwordHash;
        return judgeGuess({ password: password ?? '', address, ...of, browserOf: user.name, storedHash }, deps);
      }
      // No signature can be guessed; the limits keep the checks from being used up by one client.
      const place = deps.limiter.reserve(address, true, of);
      return guessed(place, () => judgePasskey(passkey.shown, prover, passkey.party, deps));
    });
  });
  try {
    const proof = await judged;
    if (!proof.ok) throw new Refused(401, 'not-proven', WRONG, { recorded: proof.error.why });
    if (password && !deps.mayUsePassword(user)) throw refusedFor('password-off', {}, { recorded: 'password-off' });
  } catch (fault) {
    if (fault instanceof Refused) record(act, fault.recorded ?? fault.counted);
    throw fault;
  }
  const token = await deps.sessions.prove(caller);
  if (token === undefined) throw refusedFor('token-invalid');
  record(act);
  ctx.set('Set-Cookie', deps.sessions.cookieFor(token, ctx.state));
  return undefined;
}

/** An identity provider, as logins, invitations, proofs, logouts and pages know it; a feature gives it (SPEC 16). */
export interface LoginProvider {
  readonly name: string;
  /** What people call it. */
  readonly label: string;
  /** The path at which a login with it begins, below the base path. */
  readonly loginPath: string;
  /** A second factor that it has seen counts here. */
  readonly isTrusted: boolean;
  /** Why its last answer was none. */
  readonly fault: () => string | undefined;
  /** Where its own session ends with a logout here; undefined: it goes on. */
  readonly endSession: () => Promise<string | undefined>;
}

export interface Providers {
  /** The order is that of the configuration; none where Postern has no login of its own. */
  readonly list: readonly LoginProvider[];
  /** Keeps which sessions a provider may end. */
  readonly sessions?: ProviderSessions;
  /** The address at the provider where the person is asked again; undefined when the response is set already. */
  ask(ctx: RouteContext, services: Services, prover: Prover, asked: ProofElsewhere): Promise<string | undefined>;
}

export const NO_PROVIDERS: Providers = {
  list: [],
  ask: async () => {
    throw refusedFor('sign-in-unknown');
  },
};
