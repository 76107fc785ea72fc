/** Second factors and passkeys under one configuration (SPEC 12). */
import { createInvitedPasskeys, type InvitedPasskeyDeps } from '../../accounts/invitations/invited-passkeys.ts';
import { createLinkPasses } from '../../accounts/links/link-pass.ts';
import { createChallenges } from '../../accounts/passkeys/challenges.ts';
import { createPasskeyCheck } from '../../accounts/passkeys/passkey-check.ts';
import { createPasskeys } from '../../accounts/passkeys/passkeys.ts';
import { relyingPartyOf } from '../../accounts/passkeys/relying-party.ts';
import { derivedKey } from '../../accounts/second-factor/derived-keys.ts';
import { createEnrolment } from '../../accounts/second-factor/enrolment.ts';
import { OFF } from '../../accounts/second-factor/factor-routes.ts';
import { createSealer } from '../../accounts/second-factor/sealed-secret.ts';
import { createSecondFactor } from '../../accounts/second-factor/second-factor.ts';
import { createTickets } from '../../accounts/second-factor/step-ticket.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { err } from '../../domain/result.ts';
import type { Lasting } from '../services.ts';

/** What signs and seals, each with a key of its own made from the signing secret. */
export const keyedBy = (secret: Uint8Array) => ({
  sealer: createSealer(derivedKey(secret, 'totp')),
  challenges: createChallenges(derivedKey(secret, 'passkeys')),
  passkeyUserKey: derivedKey(secret, 'passkey-users'),
  tickets: createTickets(derivedKey(secret, 'second-step')),
  attempts: createSealer(derivedKey(secret, 'oidc-attempts')),
  passes: createLinkPasses(derivedKey(secret, 'links')),
});

export function factorsUnder(
  { auth, server }: Settings,
  deps: Pick<Lasting, 'store' | 'clock' | 'sealer' | 'challenges' | 'passkeyUserKey'>,
) {
  const { clock, challenges } = deps;
  const store = deps.store.secondFactor;
  const site = relyingPartyOf(server.public_url);
  const factorDeps = { store, sealer: deps.sealer, clock, mode: auth.second_factor };
  const trusted = new Set(auth.oidc.filter((one) => one.second_factor === 'provider').map(({ name }) => name));
  const passkeyDeps = { store, challenges, clock, site: auth.second_factor === 'off' ? err(OFF) : site };
  const userKey = deps.passkeyUserKey;
  return {
    secondFactor: createSecondFactor({ ...factorDeps, hasPasskeys: site.ok, trusted }),
    enrolment: createEnrolment(factorDeps),
    passkeys: createPasskeys({ ...passkeyDeps, userKey }),
    passkeyCheck: createPasskeyCheck({ ...passkeyDeps, users: deps.store.accounts }),
    invitedPasskeysWith: (given: Pick<InvitedPasskeyDeps, 'invitations' | 'hasher'>) =>
      createInvitedPasskeys({ ...passkeyDeps, ...given, userKey, invitationStore: deps.store.invitations }),
  };
}
