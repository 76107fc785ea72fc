/** Who the headers of an authentication proxy say is calling, when `auth.enabled` is false (interface 5.5). */

import type { IdentitySource, IdentityVerdict } from '../domain/caller.ts';
import type { UserName } from '../domain/names.ts';
import type { RequestFacts } from '../domain/request.ts';
import { err, ok, type Result } from '../domain/result.ts';
import type { ActiveRoles } from '../domain/rights.ts';
import { headerTraces, type WhyDropped } from './header-traces.ts';
import {
  decodedText,
  type IdentityHeader,
  type IdentityHeaderRules,
  looksEncoded,
  readIdentityHeader,
} from './identity-header.ts';
import type { ProxyTrace, Trace } from './identity-trace.ts';
import { proxyUserName, proxyVerdict } from './proxy-caller.ts';
import { type RoleMapping, type RoleVerdict, resolveRole, ruleSentence } from './role-mapping.ts';

export interface ProxyHeaderOptions extends IdentityHeaderRules, RoleMapping {
  /** `proxy.header_map`, lower-case names. */
  readonly headerMap: { readonly user?: string | undefined; readonly role?: string | undefined };
  /** Asked at each request, for roles are also made in the console. */
  readonly roles: () => ActiveRoles;
  /** Unix seconds: roles have hours. */
  readonly now: () => number;
  /** Undefined when no `proxy.auth_secret` is set. For the trace only: `decision/accepted-caller.ts` checks it. */
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
export function createProxyHeaderSource(options: ProxyHeaderOptions): IdentitySource {
  return {
    name: 'proxy-headers',
    identify: (request) => {
      const userHeader = readIdentityHeader(request, options.headerMap.user, options);
      const roleHeader = readIdentityHeader(request, options.headerMap.role, options);
      const roles = options.roles();
      const user = options.headerMap.user === undefined ? ok(UNNAMED_USER) : userIn(userHeader, options);
      const role = roleOf(roleHeader, options, roles);
      const verdict = isUnread(user, userHeader) ? ENCODED : proxyVerdict(user, role, roles, options.now());
      if (user.ok) options.onRole?.(role);
      if (isUntrustedClaim(request, options)) options.onUntrustedHeaders?.();
      if (options.trace) traceAll(options.trace, { request, options, userHeader, roleHeader, user, role, verdict });
      return verdict;
    },
  };
}

const isUntrustedClaim = ({ peer, rawHeaders }: RequestFacts, { trustsPeer, allowlist }: ProxyHeaderOptions): boolean =>
  !trustsPeer(peer) && rawHeaders.some((name, at) => at % 2 === 0 && allowlist.has(name.toLowerCase()));

/** Errs with why the header names no user. */
function userIn(header: IdentityHeader, { encoding }: ProxyHeaderOptions): Result<UserName, string> {
  if (header.kind !== 'believed') return err(header.why);
  const name = decodedText(header.text, encoding);
  if (name !== undefined && !looksEncoded(name)) return proxyUserName(name);
  return err(
    encoding ? `not encoded as proxy.header_map.encoding says (${encoding})` : 'encoded: set proxy.header_map.encoding',
  );
}

const ENCODED: IdentityVerdict = { kind: 'refused', reason: 'proxy-user-encoded' };
const isUnread = (user: Result<UserName, string>, header: IdentityHeader): boolean =>
  !user.ok && header.kind === 'believed' && looksEncoded(header.text);

function roleOf(header: IdentityHeader, mapping: RoleMapping, { cameras }: ActiveRoles): RoleVerdict {
  if (header.kind === 'unusable') return { kind: 'denied', because: 'header-unusable', groups: [] };
  return resolveRole(header.kind === 'believed' ? header.text : undefined, mapping, cameras.keys());
}

interface JudgedHeaders {
  readonly request: RequestFacts;
  readonly options: ProxyHeaderOptions;
  readonly userHeader: IdentityHeader;
  readonly roleHeader: IdentityHeader;
  readonly user: Result<UserName, string>;
  readonly role: RoleVerdict;
  readonly verdict: IdentityVerdict;
}

function traceAll(trace: Trace<ProxyTrace>, judged: JudgedHeaders): void {
  const { request, user, role, verdict } = judged;
  const entry: ProxyTrace = {
    source: 'proxy-headers',
    proxySecret: secretNote(judged),
    headers: headerTraces(request, namedIn(judged.options), whyDropped(judged)),
    groups: role.groups.slice(0, MOST_GROUPS_SHOWN),
    rule: user.ok ? ruleSentence(role) : undefined,
    user: user.ok ? user.value : undefined,
    role: verdict.kind === 'identified' ? verdict.caller.role : undefined,
    refused: verdict.kind === 'refused' ? verdict.reason : undefined,
  };
  trace(entry, request);
}

function secretNote({ request, options }: JudgedHeaders): ProxyTrace['proxySecret'] {
  if (!options.carriesProxySecret) return 'none is set';
  return options.carriesProxySecret(request) ? 'right' : 'missing or wrong';
}

const namedIn = ({ headerMap, allowlist }: ProxyHeaderOptions): ReadonlySet<string | undefined> =>
  new Set([...allowlist, headerMap.user, headerMap.role]);

function whyDropped({ options: { headerMap }, userHeader, roleHeader, user }: JudgedHeaders): WhyDropped {
  const whyNot = new Map([
    [headerMap.role, whyOf(roleHeader)],
    [headerMap.user, user.ok || userHeader.kind !== 'believed' ? whyOf(userHeader) : user.error],
  ]);
  return (name) => (whyNot.has(name) ? whyNot.get(name) : 'not mapped');
}

const whyOf = (header: IdentityHeader): string | undefined => (header.kind === 'believed' ? undefined : header.why);
