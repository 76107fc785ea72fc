/** Who the headers of an authentication proxy say is calling, when `auth.enabled` is false (interface 5.5). */

import { hash, timingSafeEqual } from 'node:crypto';
import type { Caller, IdentitySource, IdentityVerdict } from '../domain/caller.ts';
import { type Clock, unixSeconds } from '../domain/clock.ts';
import { ANONYMOUS, type UserName } from '../domain/names.ts';
import type { RefusalReason } from '../domain/refusal.ts';
import { headerLines, type RequestFacts } from '../domain/request.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { type ActiveRoles, rightsOfRoles } from '../domain/rights.ts';
import {
  decodedText,
  type HeaderEncoding,
  type IdentityHeader,
  type IdentityHeaderRules,
  looksEncoded,
  readIdentityHeader,
} from './identity-header.ts';
import { headerTraces, type ProxyTrace, type Trace } from './identity-trace.ts';
import { type RoleMapping, type RoleVerdict, resolveRole, ruleSentence } from './role-mapping.ts';

/** What plain headers and a signed token are judged by alike. */
export interface ProxySourceOptions extends IdentityHeaderRules {
  readonly proxy: RoleMapping;
  /** Asked at each request, for roles are also made in the console. */
  readonly roles: () => ActiveRoles;
  /** Roles have hours. */
  readonly clock: Clock;
  /** Undefined when no `proxy.auth_secret` is set. For the trace only: `decision/admit.ts` checks it. */
  readonly carriesProxySecret?: ((request: RequestFacts) => boolean) | undefined;
  readonly trace?: Trace<ProxyTrace> | undefined;
  /** Called for every user that the proxy names, and how the role was found. */
  readonly onRole?: ((role: RoleVerdict) => void) | undefined;
  /** A peer that is not trusted sent identity headers, which were not looked at. */
  readonly onUntrustedHeaders?: (() => void) | undefined;
}

/** Interface 5.5 with no user header mapped: the proxy says only that the request is allowed. */
const UNNAMED_USER = 'viewer' as UserName;
const MOST_GROUPS_SHOWN = 50;

/** Never silent: no weaker source may be asked after it. */
export const createProxyHeaderSource =
  (options: ProxySourceOptions): IdentitySource =>
  (request) => {
    const { header_map: map } = options.proxy;
    const userHeader = readIdentityHeader(request, map.user, options);
    const roleHeader = readIdentityHeader(request, map.role, options);
    const user = map.user === undefined ? ok(UNNAMED_USER) : userIn(userHeader, map.encoding);
    const role = mapRole(roleHeader, options.proxy, options.roles());
    const isUnread = userHeader.kind === 'believed' && looksEncoded(userHeader.text);
    if (isUntrustedClaim(request, options)) options.onUntrustedHeaders?.();
    return judgeClaim(request, options, {
      user: user.ok ? user : err(isUnread ? 'proxy-user-encoded' : 'proxy-user-missing'),
      role,
      told() {
        const whyNot = new Map([
          [map.role, roleHeader.kind === 'believed' ? undefined : roleHeader.why],
          [map.user, user.ok ? undefined : user.error],
        ]);
        const named = new Set([...options.allowlist, map.user, map.role]);
        return {
          headers: headerTraces(request, named, (name) => (whyNot.has(name) ? whyNot.get(name) : 'not mapped')),
          groups: role.groups,
          rule: user.ok ? ruleSentence(role) : undefined,
          user: user.ok ? user.value : undefined,
        };
      },
    });
  };

const isUntrustedClaim = ({ peer, rawHeaders }: RequestFacts, { trustsPeer, allowlist }: ProxySourceOptions): boolean =>
  !trustsPeer(peer) && rawHeaders.some((name, at) => at % 2 === 0 && allowlist.has(name.toLowerCase()));

/** Errs with why the header names no user. */
function userIn(header: IdentityHeader, encoding: HeaderEncoding | undefined): Result<UserName, string> {
  if (header.kind !== 'believed') return err(header.why);
  const name = decodedText(header.text, encoding);
  if (name !== undefined && !looksEncoded(name)) return proxyUserName(name);
  return err(
    encoding ? `not encoded as proxy.header_map.encoding says (${encoding})` : 'encoded: set proxy.header_map.encoding',
  );
}

function mapRole(header: IdentityHeader, mapping: RoleMapping, { cameras }: ActiveRoles): RoleVerdict {
  if (header.kind === 'unusable') return { kind: 'denied', because: 'header-unusable', groups: [] };
  return resolveRole(header.kind === 'believed' ? header.text : undefined, mapping, cameras.keys());
}

const LONGEST_USER_NAME = 128;
/**
 * Invisible characters, and blanks at either end, make two names look alike. Separators make two names of one for a server
 * behind. `%` would make a literal `j%C3%B6rg` the same as jörg, whose name is sent percent-encoded.
 */
const NOT_IN_USER_NAMES = /^\s|[\p{C}\p{Zl}\p{Zp},;|:"<>%]|\s$/u;

/** Errs with why the text names no user. */
export function proxyUserName(name: string): Result<UserName, string> {
  if ([...name].length > LONGEST_USER_NAME) return err(`longer than ${LONGEST_USER_NAME} characters`);
  if (NOT_IN_USER_NAMES.test(name)) return err('holds a character that no user name may hold');
  // For the NVR this name means a caller who is not logged in.
  if (name.toLowerCase() === ANONYMOUS) return err('a reserved name');
  return ok(name as UserName);
}

/** What a proxy said of its user, by plain headers or by a signed token, as far as it could be read (interface 5.5.6). */
interface ProxyClaim {
  /** Errs with why the request is refused. */
  readonly user: Result<UserName, RefusalReason>;
  readonly role: RoleVerdict | undefined;
  /** Unix seconds: a signed token has an end. */
  readonly expiresAt?: number | undefined;
  /** Asked only where there is a trace. */
  readonly told: () => Pick<ProxyTrace, 'headers' | 'groups' | 'rule' | 'user'>;
}

export function judgeClaim(request: RequestFacts, options: ProxySourceOptions, claim: ProxyClaim): IdentityVerdict {
  const { trace, onRole, carriesProxySecret } = options;
  const { user, role, told } = claim;
  const verdict = claimVerdict(claim, options);
  if (user.ok && role) onRole?.(role);
  if (!trace) return verdict;
  const { groups, ...others } = told();
  const entry: ProxyTrace = {
    source: 'proxy-headers',
    proxySecret: carriesProxySecret ? (carriesProxySecret(request) ? 'right' : 'missing or wrong') : 'none is set',
    ...others,
    groups: groups.slice(0, MOST_GROUPS_SHOWN),
    role: verdict.kind === 'identified' ? verdict.caller.role : undefined,
    refused: verdict.kind === 'refused' ? verdict.reason : undefined,
  };
  trace(entry, request);
  return verdict;
}

/** The caller that the proxy names: its name and its roles. */
function claimVerdict({ user, role, expiresAt }: ProxyClaim, options: ProxySourceOptions): IdentityVerdict {
  if (!user.ok) return { kind: 'refused', reason: user.error };
  if (role?.kind !== 'role') return { kind: 'refused', reason: 'proxy-role-denied' };
  const roles = role.matches.map((match) => match.role);
  const rights = rightsOfRoles(roles, options.roles(), unixSeconds(options.clock));
  const credential = { kind: 'proxy-headers', ...(expiresAt !== undefined && { expiresAt }) } as const;
  return {
    kind: 'identified',
    caller: { name: user.value, ...rights, credential, ...(roles.length > 1 && { roles }) },
  };
}

/** What the proxy said of the user holds as long as its token; what the role may see may have changed. Nothing of the rights of before is left. */
export function recheckedProxyCaller(
  { name, credential, role, roles }: Caller,
  active: ActiveRoles,
  now: number,
): Caller | undefined {
  if (credential.kind !== 'proxy-headers' || (credential.expiresAt ?? Number.POSITIVE_INFINITY) <= now)
    return undefined;
  return { name, credential, ...rightsOfRoles(roles ?? [role], active, now), ...(roles && { roles }) };
}

/** Several secrets are for changing one without a gap. An empty text is no secret, and matches nothing. */
export function createProxySecretCheck(secrets: readonly string[]): (request: RequestFacts) => boolean {
  const accepted = secrets.filter((secret) => secret !== '').map((secret) => digestBytes(Buffer.from(secret, 'utf8')));
  return (request) => {
    const [shown, ...others] = headerLines(request, 'x-proxy-secret');
    if (shown === undefined || others.length > 0) return false;
    // Header bytes come as Latin-1 text. Digests are of one length, and all are compared: the time tells nothing.
    const digest = digestBytes(Buffer.from(shown, 'latin1'));
    return accepted.map((good) => timingSafeEqual(good, digest)).includes(true);
  };
}

const digestBytes = (bytes: Buffer): Buffer => hash('sha256', bytes, 'buffer');
