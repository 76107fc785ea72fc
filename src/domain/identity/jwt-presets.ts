/** The shapes of the signed identities that well-known proxies send, by the name of `proxy.jwt.preset` (SPEC 17). */

export interface JwtPreset {
  /** Lower-case names of headers, the first that is sent counts. */
  readonly headers: readonly string[];
  /** Undefined: it is the site's own. */
  readonly issuer?: string;
  readonly jwksUrl?: string;
  readonly userClaim: string;
  readonly groupsClaim: string;
}

// biome-ignore format: a table
export const JWT_PRESETS = {
  // developers.cloudflare.com/cloudflare-one/identity/authorization-cookie: the team's domain signs.
  'cloudflare-access': { headers: ['cf-access-jwt-assertion'], userClaim: 'email', groupsClaim: 'custom.groups' },
  // pomerium.com/docs/capabilities/getting-users-identity: issuer and audience are the host of the route.
  pomerium:            { headers: ['x-pomerium-jwt-assertion'], userClaim: 'email', groupsClaim: 'groups' },
  // cloud.google.com/iap/docs/signed-headers-howto.
  'google-iap':        { headers: ['x-goog-iap-jwt-assertion'], issuer: 'https://cloud.google.com/iap', jwksUrl: 'https://www.gstatic.com/iap/verify/public_key-jwk', userClaim: 'email', groupsClaim: 'google.access_levels' },
  // oauth2-proxy.github.io: --set-authorization-header or --pass-authorization-header gives the ID token of the provider.
  'oauth2-proxy':      { headers: ['authorization', 'x-forwarded-access-token'], userClaim: 'preferred_username', groupsClaim: 'groups' },
  // docs.goauthentik.io/add-secure-apps/providers/proxy: a token for each request, signed by the provider's key.
  authentik:           { headers: ['x-authentik-jwt'], userClaim: 'preferred_username', groupsClaim: 'groups' },
} as const satisfies Record<string, JwtPreset>;

export type JwtPresetName = keyof typeof JWT_PRESETS;

/** The names of the presets. */
export const JWT_PRESET_NAMES = Object.keys(JWT_PRESETS) as [JwtPresetName, ...JwtPresetName[]];
