/** Providers of OpenID Connect under one configuration (SPEC 16). */
import type { LoginProvider } from '../../accounts/login/reauthenticate.ts';
import type { Lasting } from '../../app/services.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { type PublicUrl, publicAddress } from '../../domain/addresses.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { isRecord } from '../../domain/json.ts';
import type { Role } from '../../domain/names.ts';
import { LOGIN_PATH } from '../../domain/page-paths.ts';
import { faultMessage } from '../../domain/result.ts';
import { readAuthority } from '../../gateway/forward/nvr-questions.ts';
import { resolveMapped } from '../../identity/role-mapping.ts';
import { type BoundedFetch, createBoundedFetch } from '../../outbound/bounded-fetch.ts';
import { watchFault } from '../../telemetry/readiness.ts';
import { newAttempt, type SignInFault } from './attempt.ts';
import { type ProviderSettings, providersIn } from './keys.ts';
import type { OidcMetrics } from './metrics.ts';
import { AWAY, createProvider, OIDC_PATH, type Provider } from './provider.ts';

/** A provider that is slower is away: a person waits for it. */
const ANSWER_SECONDS = 5;
const LARGEST_ANSWER = 64 * 1024;

/** A provider, and how the accounts treat it. */
export interface ActiveProvider extends LoginProvider {
  readonly provider: Provider;
  /** Whether a person who has a role by it gets an account at the first login. */
  readonly creates: boolean;
  /** The roles that groups give, the first of them first; none: nothing gives a role. */
  readonly rolesOf: (groups: readonly string[]) => Promise<readonly Role[]>;
}

export function activeProviders(
  settings: Settings,
  { clock, log, roleRegistry }: Pick<Lasting, 'clock' | 'log' | 'roleRegistry'>,
  metrics: OidcMetrics,
): readonly ActiveProvider[] {
  const { public_url: publicUrl } = settings.server;
  if (!publicUrl) return [];
  return configuredIn(settings).map((config): ActiveProvider => {
    const { name, label = name, create: creates } = config;
    const watch = watchOf(name, log, metrics);
    const provider = createProvider(config, publicUrl, { fetch: fetchFor(config), clock, onAnswer: watch.found });
    const rolesOf = async (groups: readonly string[]): Promise<readonly Role[]> => {
      const verdict = resolveMapped(groups, config, (await roleRegistry.latest()).keys());
      return verdict.kind === 'role' ? verdict.matches.map(({ role }) => role) : [];
    };
    const afterLogout = publicAddress(publicUrl, LOGIN_PATH);
    return {
      name,
      label,
      loginPath: `${OIDC_PATH}/${name}`,
      isTrusted: config.second_factor === 'provider',
      fault: watch.fault,
      endSession: async () => (config.logout === 'provider' ? provider.endSessionAddress(afterLogout) : undefined),
      provider,
      creates,
      rolesOf,
    };
  });
}

/** None where Postern has no login of its own. */
const configuredIn = (settings: Settings): readonly ProviderSettings[] =>
  settings.auth.enabled && settings.server.public_url ? providersIn(settings) : [];

/** The authority's file is read for each question: one that is renewed holds at once. */
const fetchFor = ({ ca }: ProviderSettings, bytes = LARGEST_ANSWER): BoundedFetch =>
  createBoundedFetch({ seconds: ANSWER_SECONDS, bytes, ca: ca === undefined ? undefined : () => readAuthority(ca) });

/** Said once when a provider goes away, and once when it is back. */
const watchOf = (name: string, log: Lasting['log'], { providerUp }: OidcMetrics) =>
  watchFault<string>({
    up: { set: (value) => providerUp.set(value, name) },
    onFault: (cause) =>
      log.warn(
        { provider: name, cause },
        'the provider of a sign-in does not answer as it should: other ways to log in go on',
      ),
    onReturn: () => log.info({ provider: name }, 'the provider of a sign-in answers again'),
  });

/** What keeps people from signing in with the providers that are configured, for doctor: discovery, keys, clock and client (SPEC 16). */
const MOST_SKEW_SECONDS = 60;
/** Login pages are larger than what a sign-in reads. */
const LARGEST_PAGE = 4 * 1024 * 1024;
const KEY_TYPES: readonly unknown[] = ['RSA', 'EC', 'OKP'];
/** Statuses by which providers refuse a client, or its redirect URI. */
const REFUSALS: readonly number[] = [400, 401, 404, 422];

/** A sentence each. Each provider is asked anew: what the service knows already may be an hour old. */
export async function providerFaults(settings: Settings, clock: Clock): Promise<readonly string[]> {
  const { public_url: publicUrl } = settings.server;
  if (!publicUrl) return [];
  const found = await Promise.all(configuredIn(settings).map((config) => findFaults(config, publicUrl, clock)));
  return found.flat();
}

async function findFaults(config: ProviderSettings, publicUrl: PublicUrl, clock: Clock): Promise<readonly string[]> {
  let date = '';
  const asked = fetchFor(config);
  const fetch: BoundedFetch = async (url, request) => {
    const response = await asked(url, request);
    date = response.headers.get('date') ?? '';
    return response;
  };
  const provider = createProvider(config, publicUrl, { fetch, clock, onAnswer: () => {} });
  const reached = await provider.reach().catch((fault: SignInFault) => fault);
  const named = `the provider ${config.name}`;
  if (reached instanceof Error) {
    const what = reached.reason === AWAY ? ' does not answer' : ': its discovery document cannot be used';
    return [`${named}${what}: ${reached.message}`];
  }
  const keys = await keysFault(reached.jwks_uri ?? '', fetch);
  const skew = Math.round(Date.parse(date) / 1000 - unixSeconds(clock));
  const attempt = newAttempt({ provider: config.name, returnTo: '/', purpose: { kind: 'login' } }, unixSeconds(clock));
  const address = await provider.addressFor(attempt, false).catch(() => '');
  const refusal = address === '' ? undefined : await refusalAt(address, fetchFor(config, LARGEST_PAGE));
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
    return `jwks_uri cannot be read: ${faultMessage(cause)}`;
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
