/** What keeps people from signing in with the providers that are configured, for doctor: discovery, keys, clock and client (SPEC 16). */
import { newAttempt } from '../../accounts/oidc/attempt.ts';
import { createProvider, type ProviderSettings } from '../../accounts/oidc/provider.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { PublicUrl } from '../../domain/addresses.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { isRecord } from '../../domain/json.ts';
import { messageOf } from '../../domain/result.ts';
import type { BoundedFetch } from '../../outbound/bounded-fetch.ts';
import { configuredIn, fetchFor } from './providers.ts';

const MOST_SKEW_SECONDS = 60;
/** Login pages are larger than what a sign-in reads. */
const LARGEST_PAGE = 4 * 1024 * 1024;
const KEY_TYPES: readonly unknown[] = ['RSA', 'EC', 'OKP'];
/** Statuses by which providers refuse a client, or its redirect URI. */
const REFUSALS: readonly number[] = [400, 401, 404, 422];

/** A sentence each. Each provider is asked anew: what the service knows already may be an hour old. */
export async function providerFaults(settings: Settings, clock: Clock): Promise<readonly string[]> {
  const { public_url: site } = settings.server;
  if (!site) return [];
  const found = await Promise.all(configuredIn(settings).map((config) => faultsOf(config, site, clock)));
  return found.flat();
}

async function faultsOf(config: ProviderSettings, site: PublicUrl, clock: Clock): Promise<readonly string[]> {
  let date = '';
  const asked = fetchFor(config);
  const fetch: BoundedFetch = async (url, request) => {
    const response = await asked(url, request);
    date = response.headers.get('date') ?? '';
    return response;
  };
  const provider = createProvider(config, site, { fetch, clock, onAnswer: () => {} });
  const reached = await provider.reach();
  const named = `the provider ${config.name}`;
  if (!reached.ok) {
    const { kind, why } = reached.error;
    return [
      kind === 'away' ? `${named} does not answer: ${why}` : `${named}: its discovery document cannot be used: ${why}`,
    ];
  }
  const keys = await keysFault(reached.value.jwks_uri ?? '', fetch);
  const skew = Math.round(Date.parse(date) / 1000 - unixSeconds(clock));
  const attempt = newAttempt({ provider: config.name, returnTo: '/', purpose: { kind: 'login' } }, unixSeconds(clock));
  const address = await provider.addressFor(attempt, false);
  const refusal = address.ok ? await refusalAt(address.value, fetchFor(config, LARGEST_PAGE)) : undefined;
  return [
    keys && `${named} shows no keys: ${keys}`,
    Math.abs(skew) > MOST_SKEW_SECONDS
      ? `${named}: its clock is ${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} the clock here: its tokens do not hold`
      : undefined,
    refusal && `${named} begins no login for this client: ${refusal}`,
  ].filter((sentence) => sentence !== undefined);
}

async function keysFault(address: string, fetch: BoundedFetch): Promise<string | undefined> {
  try {
    const response = await fetch(address);
    const set: unknown = response.status === 200 ? await response.json() : undefined;
    if (!isRecord(set) || !Array.isArray(set['keys']))
      return `jwks_uri answers with status ${response.status}, and no keys`;
    const isUsable = set['keys'].some((key: unknown) => isRecord(key) && KEY_TYPES.includes(key['kty']));
    return isUsable ? undefined : 'jwks_uri names no key that can verify a signature';
  } catch (cause) {
    return `jwks_uri cannot be read: ${messageOf(cause)}`;
  }
}

/** How the provider refuses to begin a login. A page that it shows, or another way on, is none. */
async function refusalAt(address: string, fetch: BoundedFetch): Promise<string | undefined> {
  const response = await fetch(address, { headers: { accept: 'text/html' } }).catch(() => undefined);
  if (!response) return undefined;
  if (REFUSALS.includes(response.status)) return `status ${response.status}`;
  const way = URL.parse(response.headers.get('location') ?? '', address)?.searchParams;
  const error = way?.get('error');
  return error ? [error, way?.get('error_description')].filter(Boolean).join(': ').slice(0, LONGEST_WHY) : undefined;
}

const LONGEST_WHY = 200;
