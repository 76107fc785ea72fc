/** The PINs of links for the command line: hashed with the key of the service, which only a service that was started has (SPEC 13). */
import { createLinkPasses } from '../../accounts/links/link-pass.ts';
import type { createLinkAdmin } from '../../accounts/links/make-link.ts';
import { derivedKey } from '../../accounts/second-factor/sealing.ts';
import { findSigningSecret } from '../../accounts/sessions/signing-secret.ts';
import { ok } from '../../domain/result.ts';

interface SecretPlace {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const passesAt =
  ({ directory, env }: SecretPlace): Parameters<typeof createLinkAdmin>[0]['passes'] =>
  async () => {
    const places = { environment: env, configDirectory: directory };
    const secret = await findSigningSecret(places, 'refuse');
    return secret.ok ? ok(createLinkPasses(derivedKey(secret.value.key, 'links'))) : secret;
  };
