/** Keys of `proxy`: an authentication proxy in front, and how its headers are read (interface 2.5, 5.5; SPEC 1). */
import { z } from 'zod';
import type { Role } from '../../domain/names.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { parsed } from '../../routes/shapes.ts';
import { always, byRule, key, never } from './keys.ts';
import { headerName, headerSecret, network, text } from './value-types.ts';

/** The shapes of the signed identities that well-known proxies send, by the name of `proxy.jwt.preset` (SPEC 17). */
interface JwtPreset {
  /** Lower-case names of headers, the first that is sent counts. */
  readonly headers: readonly string[];
  /** Undefined: each installation has one of its own. */
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
const JWT_PRESET_NAMES = Object.keys(JWT_PRESETS) as [JwtPresetName, ...JwtPresetName[]];

const CONTROL = /\p{Cc}/u;
const roleMap = () => z.record(z.string(), z.array(z.string().min(1)).min(1));

// biome-ignore format: a table
const headerMap = z
  .strictObject({
    user: key(headerName().optional(), { widens: always, example: 'Remote-User' },
      'Request header in which the proxy sends the user name.'),
    role: key(headerName().optional(), { widens: always, example: 'Remote-Groups' },
      'Request header in which the proxy sends the role or the groups.'),
    encoding: key(z.enum(['percent', 'rfc2047']).optional(), { widens: always, example: 'percent' },
      'How the proxy encodes user name and groups that are not ASCII: percent (J%C3%B6rg; authentik by its guides) or rfc2047 (=?utf-8?q?J=C3=B6rg?=; Tailscale). Unset: they are read as they are.'),
    role_map: key(roleMap().optional(), { widens: always, example: { admin: ['nvr-admins'] } },
      'Alias of proxy.role_map; set one of the two.'),
  })
  .prefault({})
  .describe('Names of the request headers in which the proxy sends the identity.')
  .meta({ widens: byRule });

/** HTTPS, or HTTP to this machine: the keys decide who is believed. */
function parseKeysUrl(written: string): Result<string, string> {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  const isHere = url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (!url || (url.protocol !== 'https:' && !isHere))
    return err(`${JSON.stringify(written)} is not an https address: write for example https://sso.example.com/jwks`);
  return url.username || url.password ? err('has a user name or password in it: remove it') : ok(url.href);
}

const claim = (example: string) =>
  text((name) => name.trim() !== '' && !CONTROL.test(name), `is not a claim: write for example ${example}`);

// biome-ignore format: a table
const jwt = z
  .strictObject({
    preset: key(z.enum(JWT_PRESET_NAMES).optional(), { widens: byRule },
      'Proxy whose header, issuer and claims are known; given keys win over it.'),
    header: key(headerName().optional(), { widens: byRule },
      'Request header that holds the token.'),
    issuer: key(claim('https://sso.example.com').optional(), { widens: byRule },
      'Issuer that the token must have, exactly as the proxy writes it.'),
    audience: key(claim('nvr.example.com'), { widens: byRule },
      'Audience that the token must have: without it a token for another service would count here.'),
    jwks_url: key(parsed(parseKeysUrl).optional(), { widens: byRule },
      'Address of the keys that sign the token.'),
    user_claim: key(claim('email').optional(), { widens: byRule },
      'Claim with the user name. Default: that of the preset, else email.'),
    groups_claim: key(claim('groups').optional(), { widens: byRule },
      'Claim with the groups: its name, or a path with dots. Default: that of the preset, else groups.'),
  })
  .superRefine((given, context) => {
    const preset: JwtPreset | undefined = given.preset && JWT_PRESETS[given.preset];
    const owed = [
      ['header', given.header ?? preset?.headers[0]],
      ['issuer', given.issuer ?? preset?.issuer],
      ['jwks_url', given.jwks_url ?? preset?.jwksUrl],
    ] as const;
    for (const [key, value] of owed)
      if (value === undefined)
        context.addIssue({
          code: 'custom',
          path: [key],
          message: `is missing: ${preset ? `it is your own with ${given.preset}` : 'write it, or choose a preset'}`,
        });
  })
  .transform(({ preset: name, header, ...given }) => {
    const preset: JwtPreset | undefined = name && JWT_PRESETS[name];
    return {
      headers: header === undefined ? [...(preset?.headers ?? [])] : [header.toLowerCase()],
      issuer: given.issuer ?? preset?.issuer ?? '',
      audience: given.audience,
      jwks_url: given.jwks_url ?? preset?.jwksUrl ?? '',
      user_claim: given.user_claim ?? preset?.userClaim ?? 'email',
      groups_claim: given.groups_claim ?? preset?.groupsClaim ?? 'groups',
    };
  })
  .meta({
    description:
      'Signed token of the proxy in front, instead of plain headers, of which none counts then; see docs/sso/README.md. Keys: preset, header, issuer, audience, jwks_url, user_claim, groups_claim.',
    example: {
      preset: 'pomerium',
      issuer: 'nvr.example.com',
      audience: 'nvr.example.com',
      jwks_url: 'https://nvr.example.com/.well-known/pomerium/jwks.json',
    },
    widens: byRule,
  });

// biome-ignore format: a table
export const proxySection = z
  .strictObject({
    auth_secret: key(z.union([headerSecret(), z.array(headerSecret()).min(1)], {
        error: 'is not text, or a list of texts: put it in quotes',
      }).optional(), { widens: byRule, example: '{SERVICE_PROXY_SECRET}' },
      'Secret that the proxy must send in X-Proxy-Secret. A list while it is being changed: each entry is accepted.'),
    trusted_peers: key(z.array(network()).prefault([]), { widens: byRule, example: ['172.18.0.5'] },
      'Networks (CIDR) whose identity headers are trusted. Empty: auth.trusted_proxies; if that is empty too, every address.'),
    separator: key(text((character) => [...character].length === 1 && !CONTROL.test(character), 'is not one character: write for example ","').prefault(','), { widens: always },
      'The character that separates several roles or groups in the role header.'),
    header_map: headerMap,
    jwt: jwt.optional(),
    default_role: key(z.string().prefault('viewer').transform((name) => name as Role | 'none'), { widens: always },
      'Role of a user whose header gives no known role: admin, viewer, a custom role, or none to refuse the user.'),
    role_map: key(roleMap().optional(), { widens: always, example: { admin: ['nvr-admins'], gardener: ['garden-crew'] } },
      'Groups that give a role: a list of groups for each role.'),
    logout_url: key(text(isLogoutTarget, 'is not a target for a link: write https://… or a path such as /logged-out').optional(), { widens: never, example: 'https://sso.example.com/logout' },
      'Target of the Logout link.'),
  })
  .transform(({ header_map: { role_map: alias, ...headers }, ...proxy }) => ({
    ...proxy,
    header_map: headers,
    /** Every secret that is accepted; empty when none is asked for, which a configured blank one can never become. */
    auth_secret: [proxy.auth_secret ?? []].flat(),
    role_map: new Map(Object.entries(proxy.role_map ?? alias ?? {}) as [Role, string[]][]),
  }))
  .prefault({})
  .describe('The authentication proxy in front of Postern; used when auth.enabled is false.');

/** A script URL in the Logout link would run in the console's page; `//host` leaves it without saying so. */
function isLogoutTarget(target: string): boolean {
  if (/\s/.test(target) || CONTROL.test(target)) return false;
  if (/^\/(?![/\\])/.test(target)) return true;
  return /^https?:\/\//i.test(target) && URL.canParse(target);
}
