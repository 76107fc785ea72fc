/** Networks of trusted proxies, from the settings (SPEC 3, 11). */
import type { Result } from '../../domain/result.ts';
import { createTrustedNetworks, type TrustedNetworks } from '../../gateway/decision/client-address.ts';

/** The configuration was checked, so its networks parse; otherwise this throws. */
export const networks = (cidrs: readonly string[]): TrustedNetworks => parsed(createTrustedNetworks(cidrs));

function parsed<Value>(result: Result<Value, string>): Value {
  if (!result.ok) throw new Error(result.error);
  return result.value;
}
