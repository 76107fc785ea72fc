/** Which peers are trusted, from the settings: as proxies, and for the identity headers that they send (SPEC 3, 11). */
import type { Settings } from '../../config/schema.ts';
import type { Result } from '../../domain/result.ts';
import { createTrustedNetworks, type TrustedNetworks } from '../../gateway/decision/client-address.ts';

/** Whose identity headers are believed. An empty list means: those of every peer (SPEC 11). */
export const trustedPeersOf = ({ auth, proxy }: Pick<Settings, 'auth' | 'proxy'>): readonly string[] =>
  proxy.trusted_peers.length > 0 ? proxy.trusted_peers : auth.trusted_proxies;

/** The configuration was checked, so its networks parse; otherwise this throws. */
export const networks = (cidrs: readonly string[]): TrustedNetworks => parsed(createTrustedNetworks(cidrs));

function parsed<Value>(result: Result<Value, string>): Value {
  if (!result.ok) throw new Error(result.error);
  return result.value;
}
