/** Keys of `auth`: accounts, sessions, custom roles (interface 2.5; SPEC 1). */
import { isIP } from 'node:net';
import { z } from 'zod';
import { FACTOR_MODES } from '../../domain/accounts/second-factor.ts';
import { isDomain } from '../../domain/addresses.ts';
import { parseRateLimit } from '../../domain/rate-limit.ts';
import { along, byRule, fromLimit, higher, key, lower, never } from './keys.ts';
import { camerasByRole, limitsByRole, roleKeys } from './role-schema.ts';
import { checked, network, secondsOrNever, text, wholeSeconds } from './value-types.ts';

/** The least that the interface allows. */
const SHORTEST_PASSWORD = 12;
const LONGEST_MINIMUM = 128;
/** The list of sessions is read at each login. */
const MOST_SESSIONS = 500;
/** Who may log in with a password, from the fewest to all. */
const PASSWORD_LOGINS = ['none', 'admins', 'everyone'] as const;
const COOKIE_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;

const rateLimit = () =>
  checked(
    z.string({
      error: ({ input }) => `${JSON.stringify(input)} is not a rate limit: write for example 5/minute;20/hour`,
    }),
    parseRateLimit,
  ).nullable();

/** `more`: keys of features. */
// biome-ignore format: a table
export const authSection = (more: object) => z
  .strictObject({
    enabled: key(z.boolean().prefault(true), { widens: byRule },
      'Whether users log in with accounts of Postern. False: users are known by the headers of an authentication proxy. Changes at a restart only.'),
    reset_admin_password: key(z.boolean().prefault(false), { widens: never, fromStart: true },
      'True: the user admin gets a new password at the next start, printed once on standard output; existing sessions of admin end.'),
    failed_login_rate_limit: key(rateLimit().prefault('5/minute;20/hour'), { widens: fromLimit },
      'Failed logins allowed per client address (IPv6: per /64), as <count>/<unit> joined by ";". A network (/24, IPv6 /48) may have ten times as many. Null: no limit.'),
    trusted_proxies: key(z.array(network()).prefault([]), { widens: byRule, example: ['172.18.0.0/16', 'fd00::/8'] },
      'Networks (CIDR) of reverse proxies whose X-Forwarded-For, -Proto and -Host headers are trusted. Empty: the client address is that of the connection.'),
    session_length: key(wholeSeconds().prefault(86_400), { widens: higher },
      'Lifetime of a session, in seconds; it is renewed while it is used. 0: sessions last 10 seconds and are not renewed.'),
    refresh_time: key(wholeSeconds().prefault(1800), { widens: never },
      'A request renews the session cookie when it expires within this time, in seconds.'),
    password_min_length: key(z.int().min(SHORTEST_PASSWORD).max(LONGEST_MINIMUM).prefault(SHORTEST_PASSWORD), { widens: lower },
      'Shortest new password, in characters; 12 is the least. New passwords are refused, too, when they are common or contain the name of the user or of the service. Passwords that are set already stay.'),
    session_max_age: key(secondsOrNever(1).prefault(90 * 86_400), { widens: higher },
      'Seconds after its login at which a session ends, however often it was renewed. Null: no such end.'),
    sessions_per_user: key(z.int().min(1).max(MOST_SESSIONS).prefault(50), { widens: higher },
      'Sessions that a user may have at once. One login more ends the oldest.'),
    invitation_lifetime: key(wholeSeconds(300, 30 * 86_400).prefault(72 * 3600), { widens: higher },
      'Seconds for which a link is good that lets a user set the own password, once. A newer link ends the older.'),
    second_factor: key(z.enum(FACTOR_MODES).prefault('optional'), { widens: along('everyone', 'admins', 'optional', 'off') },
      'Second factor at the login: off; optional: who has set one up is asked for it; admins or everyone: these users must set one up before anything else.'),
    reauthenticate: key(z.enum(['credentials', 'strict']).prefault('credentials'), { widens: along('strict', 'credentials') },
      'Before which acts the password or a code is asked for again, when the last one is over 10 minutes old. credentials: factors, API tokens, invitations, sessions of others, new admins, changes of admins and passwords of others. strict: every change of users and roles too, which the pages of the NVR cannot ask for.'),
    password_login: key(z.enum(PASSWORD_LOGINS).prefault('everyone'), { widens: along(...PASSWORD_LOGINS) },
      'Who may log in with a password: everyone, admins, or none, which needs an identity provider. Passkeys and API tokens stay.'),
    ...roleKeys,
    cookie_name: key(text(COOKIE_NAME, 'is not a cookie name: use letters, digits, "_" and "-", and no digit or "-" at the start').prefault('frigate_token'), { widens: never },
      'Name of the session cookie. Clients such as Home Assistant expect the default.'),
    cookie_domain: key(text(
      (domain) => isDomain(domain) && domain.includes('.') && isIP(domain) === 0,
      'is not a domain that browsers take for cookies: write the part that the host names of the services have in common, such as example.com',
    ).transform((domain) => domain.toLowerCase()).optional(), { widens: never, example: 'example.com' },
      'Domain of the session cookie: one login for all services whose host names end in it. Every other server below that domain gets the cookie, too, so that all of them must be your own. Unset: the cookie is for one host name.'),
    cookie_secure: key(z.union([z.literal('auto'), z.boolean()], {
        error: ({ input }) => `${JSON.stringify(input)} is not one of auto, true, false`,
      }).prefault('auto'), { widens: along(true, 'auto', false) },
      'Secure flag of the session cookie. auto: set when the client connected over TLS, to Postern or to a trusted proxy.'),
    hash_iterations: key(z.int().min(1).max(2 ** 31 - 1).prefault(600_000), { widens: lower },
      'PBKDF2 iterations of new password hashes. A weaker hash is replaced when its user next logs in. A hash with more than ten times as many (and more than 600000) is not accepted.'),
    ...more,
  })
  .transform(({ roles, ...auth }) => ({ ...auth, roles: camerasByRole(roles), limits: limitsByRole(roles) }))
  .prefault({})
  .describe('Accounts, sessions and roles.');
