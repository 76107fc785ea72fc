/**
 * One OpenID Connect provider: its discovery, the address to sign in at, and the person that its answer names (SPEC 16).
 * The protocol is that of `openid-client`, which is loaded with the first question to a provider.
 */
import type * as Client from 'openid-client';
import { claimIn, groupsIn, textClaim } from '../../accounts/claims.ts';
import { type PublicUrl, publicAddress } from '../../domain/addresses.ts';
import { sharedRun } from '../../domain/async.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { faultMessage } from '../../domain/result.ts';
import type { BoundedFetch } from '../../outbound/bounded-fetch.ts';
import { type Attempt, providerFault, SignInFault } from './attempt.ts';
import type { ProviderSettings } from './keys.ts';
import { ALGORITHMS, keySetAt, type LogoutToken, readLogoutToken, SKEW_SECONDS, unfit } from './provider-sessions.ts';

/** The way to each provider and back stands below it. */
export const OIDC_PATH = '/api/login/oidc';

interface Asking {
  /** It has bounds of time and size, follows no redirect, and believes the configured authority. */
  readonly fetch: BoundedFetch;
  readonly clock: Clock;
  /** Called with each answer of the provider; `why` there is none. */
  readonly onAnswer: (why?: string) => void;
}

/** Who the provider says it is. */
export type ProviderIdentity = ReturnType<typeof readIdentity>;

const FRESH_SECONDS = 3600;
const PAUSE_SECONDS = 5;
/** A fresh proof: the provider has asked the person a moment ago. */
export const PROOF_SECONDS = 60;
/** Values of `amr` (RFC 8176) that name a second factor. */
const FACTORS: readonly string[] = ['mfa', 'otp', 'hwk', 'swk', 'pop', 'fido'];
/** It has no control characters and no halves of surrogate pairs: stores change or refuse them, and two people would be one. */
const SUBJECT = /^[^\p{Cc}\p{Cs}]{1,255}$/u;
const LONGEST_WHY = 200;

interface Discovered {
  readonly configuration: Client.Configuration;
  readonly at: number;
}

export type Provider = ReturnType<typeof createProvider>;

/** Each question rejects with a `SignInFault` where the provider gives no answer, or none that proves anything. */
export function createProvider(settings: ProviderSettings, publicUrl: PublicUrl, { fetch, clock, onAnswer }: Asking) {
  const redirectUri = publicAddress(publicUrl, `${OIDC_PATH}/${settings.name}/callback`);
  let known: Discovered | undefined;
  let failed: { readonly at: number; readonly fault: SignInFault } | undefined;
  let keySet: { readonly address: string; readonly keys: ReturnType<typeof keySetAt> } | undefined;
  const keysAt = (address: string): ReturnType<typeof keySetAt> => {
    if (keySet?.address !== address) keySet = { address, keys: keySetAt(address, fetch) };
    return keySet.keys;
  };

  const ask = sharedRun(async (): Promise<Discovered> => {
    try {
      known = { configuration: await discover(settings, fetch), at: unixSeconds(clock) };
    } catch (cause) {
      const fault = toSignInFault(cause);
      failed = { at: unixSeconds(clock), fault };
      onAnswer(fault.message);
      throw fault;
    }
    failed = undefined;
    onAnswer();
    return known;
  });

  /** A document that is known is used while a newer one is fetched, so no login waits for the provider's document. */
  const discovered = async (): Promise<Discovered> => {
    const now = unixSeconds(clock);
    const isPaused = failed !== undefined && Math.abs(now - failed.at) < PAUSE_SECONDS;
    if (known) {
      if (Math.abs(now - known.at) >= FRESH_SECONDS && !isPaused) ask().catch(() => {});
      return known;
    }
    if (failed && isPaused) throw failed.fault;
    return ask();
  };

  const withProvider = async <Value>(
    work: (configuration: Client.Configuration, client: typeof Client) => Promise<Value> | Value,
  ): Promise<Value> => {
    const { configuration } = await discovered();
    try {
      return await work(configuration, await loadClient());
    } catch (cause) {
      const fault = toSignInFault(cause);
      if (fault.reason === AWAY) onAnswer(fault.message);
      throw fault;
    }
  };

  return {
    settings,
    /** The address to send the browser to. `again`: the person is asked for the password even with a session there. */
    addressFor: (attempt: Attempt, again: boolean): Promise<string> =>
      withProvider(async (configuration, client) => {
        const challenge = await client.calculatePKCECodeChallenge(attempt.verifier);
        const address = client.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: settings.scopes.join(' '),
          state: attempt.state,
          nonce: attempt.nonce,
          code_challenge: challenge,
          code_challenge_method: 'S256',
          ...wishes(settings, again),
        });
        return address.href;
      }),
    /** Who has signed in, by the provider's answer at the redirect URI. `query` begins with `?`. */
    identify: (query: string, attempt: Attempt): Promise<ProviderIdentity> =>
      withProvider(async (configuration, client) => {
        // It is checked against `auth_time`, which is owed then.
        const maxAge = attempt.purpose.kind === 'prove' ? PROOF_SECONDS : settings.max_age;
        const tokens = await client.authorizationCodeGrant(configuration, new URL(`${redirectUri}${query}`), {
          expectedState: attempt.state,
          expectedNonce: attempt.nonce,
          pkceCodeVerifier: attempt.verifier,
          idTokenExpected: true,
          ...(typeof maxAge === 'number' && { maxAge }),
        });
        onAnswer();
        const claims = tokens.claims();
        if (!claims) throw unfit('the answer has no ID token');
        refuseOddClaims(claims, settings, unixSeconds(clock));
        const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
        const more =
          hasUserInfo && lacks(claims, settings)
            ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
            : {};
        return readIdentity(claims, more, settings);
      }),
    /** Where the provider's own session ends; undefined where it says no such address. */
    endSessionAddress: (returnTo: string): Promise<string | undefined> =>
      withProvider((configuration, client) =>
        configuration.serverMetadata().end_session_endpoint === undefined
          ? undefined
          : client.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo }).href,
      ).catch(() => undefined),
    readLogoutToken: (token: string): Promise<LogoutToken> =>
      withProvider((configuration) => {
        const { issuer, jwks_uri = '' } = configuration.serverMetadata();
        const [keys, now] = [keysAt(jwks_uri), unixSeconds(clock)];
        return readLogoutToken(token, { issuer, keys, audience: settings.client_id, now });
      }),
    /** Asks the provider once, for doctor and at the first use. */
    reach: (): Promise<Client.ServerMetadata> => withProvider((configuration) => configuration.serverMetadata()),
  };
}

const loadClient = (): Promise<typeof Client> => import('openid-client');

async function discover(settings: ProviderSettings, fetch: BoundedFetch): Promise<Client.Configuration> {
  const client = await loadClient();
  const customFetch = fetch as unknown as Client.CustomFetch;
  const found = await client.discovery(new URL(settings.issuer), settings.client_id, undefined, client.None(), {
    [client.customFetch]: customFetch,
  });
  const { supportsPKCE: _, ...server } = found.serverMetadata();
  refuseOddAddresses(server);
  const signed = server.id_token_signing_alg_values_supported ?? ['RS256'];
  const algorithms = signed.filter((name) => ALGORITHMS.includes(name));
  if (algorithms.length === 0)
    throw unfit(`it signs ID tokens by ${signed.join(', ')} alone: let it use ${ALGORITHMS.join(', ')}`);
  const configuration = new client.Configuration(
    { ...server, id_token_signing_alg_values_supported: algorithms } as Client.ServerMetadata,
    settings.client_id,
    { [client.clockTolerance]: SKEW_SECONDS },
    clientAuthentication(client, settings, server),
  );
  configuration[client.customFetch] = customFetch;
  client.enableNonRepudiationChecks(configuration);
  return configuration;
}

/** Every provider that has no list takes the secret in the Authorization header (OpenID Connect Discovery 1.0, section 3). */
function clientAuthentication(
  client: typeof Client,
  { client_secret: clientSecret }: ProviderSettings,
  { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] }: Client.ServerMetadata,
): Client.ClientAuth {
  if (clientSecret === undefined) return client.None();
  return methods.includes('client_secret_basic') || !methods.includes('client_secret_post')
    ? client.ClientSecretBasic(clientSecret)
    : client.ClientSecretPost(clientSecret);
}

const ADDRESSES = [
  'authorization_endpoint',
  'token_endpoint',
  'jwks_uri',
  'userinfo_endpoint',
  'end_session_endpoint',
] as const;
const OWED = ADDRESSES.slice(0, 3);

/** The document came over TLS, so it may name other hosts, as some providers do; it may name no other scheme. */
function refuseOddAddresses(server: Client.ServerMetadata): void {
  for (const name of ADDRESSES) {
    const address = server[name];
    if (address === undefined && OWED.includes(name)) throw unfit(`its discovery document names no ${name}`);
    if (address !== undefined && !address.startsWith('https://'))
      throw unfit(`its discovery document names a ${name} that is not https`);
  }
}

/** What the configuration, or a proof, wants of the login there. */
function wishes(
  { acr_values: acrValues, prompt, max_age: maxAge }: ProviderSettings,
  again: boolean,
): Record<string, string> {
  const wanted = again ? { prompt: 'login', maxAge: 0 } : { prompt, maxAge };
  return {
    ...(acrValues.length > 0 && { acr_values: acrValues.join(' ') }),
    ...(wanted.prompt !== undefined && { prompt: wanted.prompt }),
    ...(typeof wanted.maxAge === 'number' && { max_age: String(wanted.maxAge) }),
  };
}

/** What the library lets pass: a token from the future, and one that was made for another party. */
function refuseOddClaims(
  { iat, azp, sub }: Client.IDToken,
  { client_id: clientId }: ProviderSettings,
  now: number,
): void {
  if (iat > now + SKEW_SECONDS) throw unfit('the ID token is from the future: set both clocks');
  if (azp !== undefined && azp !== clientId) throw unfit('the ID token was made for another client (azp)');
  if (!SUBJECT.test(sub)) throw unfit('the ID token has no usable "sub"');
}

const lacks = (claims: JsonRecord, { user_claim: userClaim, groups_claim: groupsClaim }: ProviderSettings): boolean =>
  [userClaim, groupsClaim].some((name) => claimIn(claims, name) === undefined);

/** UserInfo (`more`) names the person and the groups where the ID token does not: how the person logged in, the signed token says alone. */
function readIdentity(claims: JsonRecord, more: JsonRecord, settings: ProviderSettings) {
  const { auth_time } = claims;
  const holding = (name: string): JsonRecord => (claimIn(claims, name) === undefined ? more : claims);
  return {
    issuer: String(claims['iss']),
    subject: String(claims['sub']),
    /** The provider's name of its session, for back-channel logout. */
    sid: textClaim(claims, 'sid'),
    /** The name that the provider writes. */
    userName: textClaim(holding(settings.user_claim), settings.user_claim),
    groups: groupsIn(holding(settings.groups_claim), settings.groups_claim),
    /** When the person proved to be the person there: Unix seconds. */
    authenticatedAt: typeof auth_time === 'number' ? auth_time : undefined,
    /** A second factor was shown there, and counts here. */
    hasFactor: settings.second_factor === 'provider' && showsFactor(claims, settings.acr_values),
  };
}

function showsFactor({ amr, acr }: JsonRecord, acrValues: readonly string[]): boolean {
  const methods: readonly unknown[] = Array.isArray(amr) ? amr : [];
  return methods.some((method) => FACTORS.includes(String(method))) || acrValues.some((value) => value === acr);
}

/** No answer, or none that can be used. */
export const AWAY = 'sign-in-away';

/** The provider's own words, cut short and in one line; codes of this library. No token stands in any of them. */
function toSignInFault(cause: unknown): SignInFault {
  if (cause instanceof SignInFault) return cause;
  const { code, error, error_description, status } = Object(cause) as JsonRecord;
  if (typeof error === 'string') {
    const why = short([error, error_description].filter((text) => typeof text === 'string').join(': '));
    return code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR' ? providerFault('sign-in-declined', why) : unfit(why);
  }
  if (typeof status === 'number' && status >= 500 && !isFetchFault(cause))
    return providerFault(AWAY, `it answered with status ${status}`);
  const isAway = isFetchFault(cause) || code === 'OAUTH_RESPONSE_IS_NOT_CONFORM';
  return providerFault(isAway ? AWAY : 'sign-in-unfit', short(faultMessage(rootCause(cause))));
}

/** The library wraps what went wrong in a general sentence. */
const rootCause = (cause: unknown): unknown => {
  let root = cause;
  while (root instanceof Error && root.name !== 'FetchFault' && root.cause instanceof Error) root = root.cause;
  return root;
};

const isFetchFault = (cause: unknown): boolean => Object(rootCause(cause)).name === 'FetchFault';

const short = (text: string): string =>
  text
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .slice(0, LONGEST_WHY)
    .toWellFormed();
