/** `POST /api/reauthenticate`: the password, a code or a passkey again, for acts that a stolen session alone must not do (SPEC 12). */

import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import { ANY, BODY_NO, named } from '../../routes/shapes.ts';
import {
  ANSWERED,
  type Call,
  declaring,
  Refused,
  refusedFields,
  refusedFor,
  refusedWhileBusy,
  refusedWhileLimited,
} from '../http/kernel.ts';
import { whileThere } from '../http/leaving.ts';
import { cookieClientOf } from '../sessions/session-cookie.ts';
import { judgeProof, PROOF, type ProofOutcome, type ProofServices, type Prover, proofIn } from './proof.ts';

const PATH = '/api/reauthenticate';
const PROVEN = named('Proven', z.object({ success: z.boolean().optional(), url: z.string().optional() }));
const WRONG = 'The password, the code or the passkey is not right.';

const OWN = { access: 'any', writes: true, enrolment: true, note: "the caller's own session" } as const;

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

async function proverOf(call: Call<unknown>, { store }: Pick<Services, 'store'>): Promise<Prover> {
  const session = sessionIn(call);
  const user = await store.accounts.findUser(call.caller.name);
  if (!user) throw refusedFor('token-invalid');
  return { user, session, address: call.from };
}

async function options(call: Call, deps: Pick<Services, 'store' | 'passkeyCheck'>): Promise<object> {
  const { user, session } = await proverOf(call, deps);
  const { site } = deps.passkeyCheck;
  if (!site.ok) throw new Refused(409, site.error);
  return deps.passkeyCheck.proofOptions(user, session, site.value);
}

async function reauthenticate(
  call: Call<z.output<typeof PROOF>>,
  deps: ProofServices & Pick<Services, 'store' | 'sessions' | 'askAtProvider'>,
): Promise<object | undefined> {
  const { caller, ctx, record } = call;
  // The user as it is once the body has arrived.
  const prover = await proverOf(call, deps);
  const asked = proofIn(call.body);
  if (!asked.ok) throw refusedFields(asked.error);
  if (!ctx) throw refusedFor('reauthentication-required');
  const proof = asked.value;
  if (proof.kind === 'provider') {
    const url = await deps.askAtProvider(ctx, prover, proof);
    return url === undefined ? ANSWERED : { url };
  }
  const { site } = deps.passkeyCheck;
  if (proof.kind === 'passkey' && !site.ok) throw new Refused(409, site.error);
  const outcome = await whileThere(ctx.res, (signal) =>
    judgeProof(proof, { ...prover, signal }, site.ok ? site.value : undefined, deps),
  );
  const by = proof.kind === 'passkey' && ({ factor: 'passkey' } as const);
  const act = { what: 'reauthenticated', user: prover.user.name, ...by } as const;
  const refused = refusalOf(outcome);
  if (refused) record(act, refused.recorded);
  if (refused) throw refused;
  const token = await deps.sessions.prove(caller);
  if (token === undefined) throw refusedFor('token-invalid');
  record(act);
  ctx.set('Set-Cookie', deps.sessions.cookieFor(token, cookieClientOf(ctx.state)));
  return undefined;
}

function refusalOf(outcome: ProofOutcome): Refused | undefined {
  switch (outcome.kind) {
    case 'limited':
      return refusedWhileLimited(outcome);
    case 'busy':
      return refusedWhileBusy('busy');
    case 'wrong':
      return new Refused(401, WRONG, { recorded: outcome.why, fields: { reason: 'not-proven' } });
    case 'password-off':
      return refusedFor(outcome.kind, {}, { recorded: outcome.kind });
    case 'proven':
      return undefined;
  }
}
