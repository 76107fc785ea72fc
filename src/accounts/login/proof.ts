/** What shows again that a session is its user's: the password, a code or a passkey, judged within the limits (SPEC 12). */
import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { named } from '../../routes/shapes.ts';
import { CODE, type FieldFault, MAYBE_GIVEN_TEXT } from '../http/body-fields.ts';
import { ASSERTION, type Assertion, assertion, type RelyingParty } from '../passkeys/credential.ts';
import type { PasskeyOutcome } from '../passkeys/passkeys.ts';
import {
  type CodeGuessOutcome,
  type GuessOutcome,
  type GuessServices,
  isFailure,
  judgeCode,
  judgeGuess,
  type NotJudged,
  onAccountOf,
} from './guesses.ts';
import { settled } from './login-limiter.ts';

export type Proof =
  | { readonly kind: 'password'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'passkey'; readonly assertion: Assertion };

/** The person is asked by the provider of that name, and comes back from there. */
export interface ProofElsewhere {
  readonly kind: 'provider';
  readonly name: string;
  /** The page to come back to, as the client wishes it; '' for none. */
  readonly returnTo: string;
}

/** `session`: the id of its tokens. */
export interface Prover {
  readonly user: User;
  readonly session: string;
  readonly address: string;
  /** Aborted when the client has left. */
  readonly signal?: AbortSignal | undefined;
}

export type ProofServices = GuessServices &
  Pick<Services, 'secondFactor' | 'codeLimiter' | 'passkeyCheck' | 'mayUsePassword'>;

type Outcome = CodeGuessOutcome | GuessOutcome | PasskeyOutcome;
export type ProofOutcome =
  | Extract<Outcome, { kind: 'limited' | 'busy' }>
  | { readonly kind: 'proven' | 'password-off' }
  /** `why` is for the log, never for the client. */
  | { readonly kind: 'wrong'; readonly why: string };

const ONE_OF_FOUR = {
  loc: ['body'],
  msg: 'Give the password, a code, a passkey or a provider',
  type: 'value_error',
} as const;

export const PROOF = named(
  'Proof',
  z.object({
    password: MAYBE_GIVEN_TEXT,
    code: MAYBE_GIVEN_TEXT.meta(CODE),
    credential: ASSERTION,
    provider: MAYBE_GIVEN_TEXT.meta({ description: 'The name of a provider that the account is connected with' }),
    return_to: MAYBE_GIVEN_TEXT.meta({ description: 'The page to come back to from the provider' }),
  }),
);

/** Exactly one of them. */
export function proofIn(fields: z.output<typeof PROOF>): Result<Proof | ProofElsewhere, readonly FieldFault[]> {
  const { password, code, credential, provider, return_to: returnTo = '' } = fields;
  if ([password, code, credential, provider].filter(Boolean).length !== 1) return err([ONE_OF_FOUR]);
  if (provider) return ok({ kind: 'provider', name: provider, returnTo });
  if (code) return ok({ kind: 'code', text: code });
  if (password) return ok({ kind: 'password', text: password });
  const shown = assertion(credential);
  return shown.ok ? ok({ kind: 'passkey', assertion: shown.value }) : shown;
}

/** `site`: of passkeys. */
export async function judgeProof(
  proof: Proof,
  prover: Prover,
  site: RelyingParty | undefined,
  deps: ProofServices,
): Promise<ProofOutcome> {
  const outcome = await judge(proof, prover, site, deps);
  switch (outcome.kind) {
    case 'limited':
    case 'busy':
      return outcome;
    case 'right':
      return { kind: 'proven' };
    case 'match':
      return { kind: deps.mayUsePassword(prover.user) ? 'proven' : 'password-off' };
    case 'mismatch':
      return { kind: 'wrong', why: 'bad-credentials' };
    case 'over':
      return { kind: 'wrong', why: 'passkey-challenge-over' };
    case 'wrong':
      return { kind: 'wrong', why: 'why' in outcome ? outcome.why : 'bad-code' };
  }
}

async function judge(
  proof: Proof,
  prover: Prover,
  site: RelyingParty | undefined,
  deps: ProofServices,
): Promise<Outcome> {
  const { user, session, address, signal } = prover;
  const storedHash = async () => user.passwordHash;
  switch (proof.kind) {
    case 'code':
      return judgeCode({ user, address, signal, knownSession: session, code: proof.text }, deps);
    case 'password':
      return onAccountOf({ user, signal, knownSession: session }, deps, () =>
        judgeGuess(
          { password: proof.text, address, account: user.name, signal, browserOf: user.name, storedHash },
          deps,
        ),
      );
    case 'passkey':
      return site ? judgePasskey(proof.assertion, prover, site, deps) : { kind: 'wrong', why: 'passkey-unfit' };
  }
}

/** No signature can be guessed; the limits keep the checks from being used up by one client. */
const judgePasskey = (
  shown: Assertion,
  { user, session, address, signal }: Prover,
  site: RelyingParty,
  deps: ProofServices,
): Promise<PasskeyOutcome | NotJudged> =>
  onAccountOf({ user, signal, knownSession: session }, deps, async () => {
    const place = await deps.limiter.reserve(address, true, { account: user.name, signal });
    if (place.kind !== 'reserved') return place;
    return settled(place, () => deps.passkeyCheck.prove(shown, { user, session }, site), isFailure);
  });
