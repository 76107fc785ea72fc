/** The key `auth.oidc`, and its rules: identity providers by which people sign in (SPEC 16). */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { about } from '../../config/problems/problems.ts';
import {
  along,
  always,
  byRule,
  higher,
  isWider,
  key,
  namesIn,
  never,
  readKeys,
  toTrue,
} from '../../config/schema/keys.ts';
import { losesGroups, mappedRoles, unknownRole } from '../../config/schema/proxy-rules.ts';
import { fails, type Raw, type Rule, type Settings } from '../../config/schema/schema.ts';
import { checked, filePath, secondsOrNever, text } from '../../config/schema/value-types.ts';
import { OWN_SOURCE } from '../../domain/accounts/sign-in.ts';
import type { Role } from '../../domain/names.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { parsed } from '../../routes/shapes.ts';

const NAME = /^[a-z0-9-]{1,30}$/;
/** A token of RFC 6749 3.3. */
const TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const PROMPT = /^[a-z_]+(?: [a-z_]+)*$/;
const CONTROL = /\p{Cc}/u;
const LONGEST_TEXT = 200;
const MOST_PROVIDERS = 20;

/** Stays as it is written: the issuer of a token is compared letter by letter. */
function parseIssuer(written: string): Result<string, string> {
  if (written.includes('@')) return err(`has a user name or password in it: ${ISSUER_EXAMPLE}`);
  const shown = JSON.stringify(written);
  if (/^http:/i.test(written)) return err(`${shown} is not encrypted: ${ISSUER_EXAMPLE}`);
  if (/[?#]/.test(written)) return err(`${shown} has a query or a fragment: ${ISSUER_EXAMPLE}`);
  const isIssuer = /^https:\/\/[^\s\\]+$/.test(written) && URL.canParse(written);
  return isIssuer ? ok(written) : err(`${shown} is not an issuer: ${ISSUER_EXAMPLE}`);
}
const ISSUER_EXAMPLE = 'write it as the provider does, for example https://id.example.com/realms/home';

/** One provider is not two by the way in which its address is written. */
const withoutSlash = (issuer: string): string => new URL(issuer).href.replace(/\/+$/, '');

const plainText = (what: string) =>
  text(
    (value) => value.trim() !== '' && value.length <= LONGEST_TEXT && !CONTROL.test(value),
    `is not ${what}: write 1 to ${LONGEST_TEXT} characters`,
  );

const token = (what: string) => text(TOKEN, `is not ${what}: write one without blanks`);

/** Never shown in a message. */
const clientSecret = () =>
  checked(z.string(), (secret) =>
    secret.trim() === '' ? 'is blank: write the secret, or remove the key for a public client' : undefined,
  ).meta({ isSecret: true });

// biome-ignore format: a table
const provider = z
  .strictObject({
    name: key(text((name) => NAME.test(name) && name !== OWN_SOURCE, `is not a name of a provider: write 1 to 30 lower-case letters, digits and hyphens, and not ${OWN_SOURCE}, which stands for roles that no provider gives`), { widens: always },
      'Short name: part of addresses, of the log and of what "postern users list" shows. Never change it.'),
    label: key(plainText('a label').optional(), { widens: never },
      'Text of the button on the login page. Default: the name.'),
    issuer: key(parsed(parseIssuer), { widens: always },
      'Issuer of the provider, exactly as its discovery document has it.'),
    client_id: key(plainText('a client id'), { widens: always },
      'Client id that the provider gave to Postern.'),
    client_secret: key(clientSecret().optional(), { widens: never },
      'Client secret. A public client has none.'),
    scopes: key(z.array(token('a scope')).refine((scopes) => scopes.includes('openid'), {
        error: 'lacks openid, without which no one is signed in: add it',
      }).prefault(['openid', 'profile', 'email']), { widens: never },
      'Scopes that are asked for. Some providers need one more for groups.'),
    user_claim: key(plainText('a claim').prefault('preferred_username'), { widens: always },
      'Claim that names a new account. Other characters than letters, digits, dots and underscores become dots; the name is cut to 30.'),
    groups_claim: key(plainText('a claim').prefault('groups'), { widens: always },
      'Claim with the groups: its name, or a path with dots (realm_access.roles). email works for providers without groups, when the provider has verified it.'),
    ca: key(filePath().optional(), { widens: always },
      "PEM file of the certificate authority that signed the provider's certificate. Default: those of the system."),
    role_map: key(z.record(z.string(), z.array(z.string().min(1)).min(1)).optional(), { widens: always },
      'Groups that give a role: a list of groups for each role. Read again at every login. Without it default_role alone counts: a group is never taken for a role.'),
    default_role: key(z.string().prefault('none').transform((name) => name as Role | 'none'), { widens: always },
      'Role of a person whose groups give none: admin, viewer, a custom role, or none to refuse the login.'),
    create: key(z.boolean().prefault(false), { widens: toTrue },
      'True: a person who has a role by role_map or default_role gets an account at the first login. False: only accounts that are connected, by an invitation or in Settings.'),
    second_factor: key(z.enum(['provider', 'postern']).prefault('postern'), { widens: along('postern', 'provider') },
      "Whose second factor counts. provider: a login for which the provider says that it had one needs no other. postern: Postern's own is asked for where one is required."),
    acr_values: key(z.array(token('an authentication context')).prefault([]), { widens: always },
      'Authentication contexts that are asked for. With second_factor: provider, a login in one of them has its second factor.'),
    prompt: key(text(PROMPT, 'is not a prompt: write for example login or select_account').optional(), { widens: always },
      'What the provider is to ask for at each login, such as login or select_account.'),
    max_age: key(secondsOrNever(0).prefault(null), { widens: higher },
      'Longest time since the person logged in at the provider, in seconds. Null: any.'),
    logout: key(z.enum(['local', 'provider']).prefault('local'), { widens: never },
      'What logging out ends: local: the session here; provider: the session at the provider, too.'),
  })
  .transform(({ label, role_map, ...entry }) => ({
    ...entry,
    label: label ?? entry.name,
    role_map: new Map(Object.entries(role_map ?? {}) as [Role, string[]][]),
  }));

// biome-ignore format: a table
export const oidcKeys = {
  oidc: key(z.array(provider).max(MOST_PROVIDERS).superRefine((providers, context) => {
      for (const [index, { name, issuer }] of providers.entries()) {
        const before = providers.slice(0, index);
        const alike = before.find((other) => withoutSlash(other.issuer) === withoutSlash(issuer));
        if (before.some((other) => other.name === name))
          context.addIssue({
            code: 'custom',
            path: [index, 'name'],
            message: `${JSON.stringify(name)} is the name of another provider, too: choose another`,
          });
        else if (alike)
          context.addIssue({
            code: 'custom',
            path: [index, 'issuer'],
            message: `is the issuer of ${JSON.stringify(alike.name)}, too, so an account that is connected by one of the two would open by the other: keep one of them`,
          });
      }
    }).prefault([]), { widens: byRule, example: [ { name: 'home', label: 'Sign in at home', issuer: 'https://id.example.com', client_id: 'postern', client_secret: '{SERVICE_OIDC_SECRET}', role_map: { admin: ['nvr-admins'], viewer: ['family'] }, create: true }, ] },
    'Identity providers (OpenID Connect) by which people sign in beside the password; see docs/openid-connect.md. Needs server.public_url.'),
} as const;

/** A provider as it is configured. */
export type ProviderSettings = z.output<typeof provider>;

/** The providers of the configuration. */
export const providersIn = (settings: Settings): readonly ProviderSettings[] =>
  (settings as { auth: { oidc?: readonly ProviderSettings[] } }).auth.oidc ?? [];

const writtenIn = (raw: Raw): readonly unknown[] => {
  const list = raw('auth.oidc');
  return Array.isArray(list) ? list : [];
};

// biome-ignore format: a table
export const oidcRules: readonly Rule[] = [
  fails('auth.password_login', (raw) => raw('auth.password_login') === 'none' && writtenIn(raw).length === 0 &&
    'none leaves nothing to log in with, because auth.oidc names no provider: add one, or write admins or everyone'),
  fails('auth.oidc', (raw, isWhole) => isWhole && writtenIn(raw).length > 0 && raw('server.public_url') === undefined &&
    'needs the address of this service, to which the provider sends people back: set server.public_url, for example to https://nvr.example.com'),
  fails('auth.oidc', (raw) => writtenIn(raw).length > 0 && raw('auth.enabled') === false &&
    'needs accounts, and auth.enabled is false: set auth.enabled to true, or remove auth.oidc'),
  {
    key: 'auth.oidc',
    problems: (raw) =>
      writtenIn(raw).flatMap((_, at) =>
        about(['auth', 'oidc', at, 'default_role'], unknownRole(raw, `auth.oidc.${at}.default_role`)),
      ),
    warnings: unsafeProviders,
    widens: trustsOthers,
  },
];

function unsafeProviders(settings: Settings) {
  return providersIn(settings).flatMap(({ create, default_role, role_map }, index) => {
    const path = ['auth', 'oidc', index];
    return [
      ...mappedRoles(role_map, settings.auth.roles, [...path, 'role_map'], 'default_role decides'),
      ...about(
        [...path, 'create'],
        create &&
          default_role === 'none' &&
          role_map.size === 0 &&
          'true, but nothing gives a person a role, so no account is made: name groups in role_map, or set default_role',
      ),
      ...about(
        [...path, 'default_role'],
        create &&
          default_role !== 'none' &&
          `${default_role} with create: true, so every person whom the provider lets in gets an account with that role: use role_map and remove default_role, unless the provider knows your people alone`,
      ),
    ];
  });
}

/** The keys of a provider. */
const KEYS = readKeys(provider);

/** Whether a provider is new, or one has another issuer or lost a key whose default allows more. */
function trustsOthers(running: Settings, read: Settings): boolean {
  return providersIn(read).some((after) => {
    const before = providersIn(running).find(({ name }) => name === after.name);
    if (before?.issuer !== after.issuer) return true;
    if (losesGroups(before, after)) return true;
    return namesIn(KEYS, '').some((name) => {
      const key = KEYS.get(name);
      const [then, now] = [before, after].map((entry): unknown => Object(entry)[name]);
      return isDeepStrictEqual(now, key?.default) && isWider(key, then, now);
    });
  });
}
