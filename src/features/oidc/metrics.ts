/** The metrics of sign-ins with OpenID Connect (SPEC 9). */
import type { Settings } from '../../config/schema/schema.ts';
import { createCounter, createGauge } from '../../telemetry/series.ts';
import { providersIn } from './keys.ts';

const RESULTS = [
  'success',
  'second_step',
  'connected',
  'proven',
  'logout',
  'refused',
  'declined',
  'away',
  'unfit',
  'over',
] as const;
export type SignInResult = (typeof RESULTS)[number];

export type OidcMetrics = ReturnType<typeof oidcMetrics>;

/** A reload adds no names of providers. */
export function oidcMetrics(settings?: Settings) {
  const provider = ['provider', (settings ? providersIn(settings) : []).map(({ name }) => name)] as const;
  // biome-ignore format: a table
  const declared = {
    logins:     createCounter('postern_oidc_logins_total', 'Sign-ins with OpenID Connect that came back from the provider, and its messages that sessions are over, by result.', [provider, ['result', RESULTS]]),
    providerUp: createGauge('min', 'postern_oidc_provider_up', '1 when the provider answered as it should when it was last asked.', [provider]),
  };
  for (const name of provider[1]) declared.providerUp.set(undefined, name); // left out until it is known
  return declared;
}
