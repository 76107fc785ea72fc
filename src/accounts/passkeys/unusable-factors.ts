/** Second factors that their users cannot use, told at the start: sealed under another secret, or passkeys of no address (SPEC 12). */
import type { Settings } from '../../config/schema/schema.ts';
import type { SecondFactorStore } from '../../store/accounts/second-factor.ts';
import type { Sealer } from '../second-factor/sealing.ts';
import { toRelyingParty } from './credential.ts';

interface FactorSettings {
  readonly auth: Pick<Settings['auth'], 'enabled' | 'second_factor'>;
  readonly server: Pick<Settings['server'], 'public_url'>;
}

/** A factor is never dropped with the secret or the address: that would open the account to the password alone. */
export async function warnOfUnusable(
  settings: FactorSettings,
  secondFactor: Pick<SecondFactorStore, 'countTotpNotSealedWith' | 'listFactors'>,
  { keyId }: Pick<Sealer, 'keyId'>,
  log: { warn(facts: object, sentence: string): void },
): Promise<void> {
  const users = await secondFactor.countTotpNotSealedWith(keyId);
  if (users > 0)
    log.warn(
      { users },
      'the signing secret is another one than when these users set up their authenticator app: their codes cannot be checked. They log in with a recovery code and set it up again; or run "postern users second-factor reset NAME"',
    );
  const idle = await idlePasskeys(settings, secondFactor.listFactors);
  if (idle) log.warn({ users: idle.users }, `these users have passkeys that cannot be used. ${idle.why}`);
}

/** How many users have passkeys, while there can be none; undefined when all is well. A changed host name cannot be seen. */
export async function idlePasskeys(
  { auth, server }: FactorSettings,
  listFactors: SecondFactorStore['listFactors'],
): Promise<{ readonly users: number; readonly why: string } | undefined> {
  const site = toRelyingParty(server.public_url);
  if (!auth.enabled || auth.second_factor === 'off' || site.ok) return undefined;
  const users = (await listFactors()).filter(({ kinds }) => kinds.includes('passkey')).length;
  return users > 0 ? { users, why: site.error } : undefined;
}
