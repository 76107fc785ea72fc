/** Builds the sources of identity from the settings, and says whose headers are believed (SPEC 3). */
import { PASS_COOKIE } from '../accounts/links/link-pass.ts';
import { SCREEN_COOKIE } from '../accounts/screens/screens.ts';
import { trustedPeersOf } from '../config/schema/proxy-rules.ts';
import type { Settings } from '../config/schema/schema.ts';
import { clientAddress, isTrustedPeer, trustedNetworks } from '../domain/addresses.ts';
import { allMaybe, type MaybePromise, mapMaybe } from '../domain/async.ts';
import type { Caller, IdentitySource, IdentityVerdict, SessionVerdict } from '../domain/caller.ts';
import type { Remembering } from '../domain/clock.ts';
import { headerLines, type RequestFacts } from '../domain/request.ts';
import type { ActiveRoles } from '../domain/rights.ts';
import { cookieValues, ownCredentials } from '../domain/sent-credentials.ts';
import type { SessionTrace, SourceTrace, Trace } from './identity-trace.ts';
import type { KeySet } from './key-set.ts';
import { createProxyHeaderSource } from './proxy-header-source.ts';
import { createProxyJwtSource } from './proxy-jwt-source.ts';
import type { RoleVerdict } from './role-mapping.ts';
import {
  createApiTokenSource,
  createLinkSource,
  createScreenSource,
  type VerifyApiToken,
  type VerifyLink,
  type VerifyScreen,
} from './secret-sources.ts';

export interface SourceDeps {
  readonly settings: Settings;
  /** Header names that may carry an identity, lower-case. */
  readonly allowlist: ReadonlySet<string>;
  readonly verifySession: (token: string, carriedBy: 'cookie' | 'bearer') => MaybePromise<SessionVerdict>;
  readonly verifyApiToken: VerifyApiToken;
  /** `cookies`: values of the cookie that pages of links set. */
  readonly verifyLink: VerifyLink;
  readonly verifyScreen: VerifyScreen;
  /** The roles as last read, and as they are now. */
  readonly roleRegistry: { activeAtLastRead(): ActiveRoles; active(): MaybePromise<ActiveRoles> };
  /** Unix seconds. */
  readonly now: () => number;
  readonly trace: Trace<SourceTrace> | undefined;
  /** Absent: sessions are looked up for each request. */
  readonly remembering?: Remembering;
  readonly onRole?: (role: RoleVerdict) => void;
  readonly onUntrustedHeaders?: () => void;
  /** The keys of `proxy.jwt`. */
  readonly proxyKeys?: KeySet | undefined;
}

/** Links and API tokens are credentials of their own, with accounts and in proxy mode alike (SPEC 3, 13). */
export function linkSource({ settings, verifyLink, trace }: SourceDeps): IdentitySource {
  const verify: SourceDeps['verifyLink'] = (secret, lines, address) =>
    verifyLink(secret, cookieValues(lines, PASS_COOKIE), address);
  return createLinkSource({ verify, addressOf: addressUnder(settings), trace });
}

/** Screens are of accounts: a proxy in front knows no person who could have paired one. */
export function screenSources({ settings, verifyScreen, trace, remembering }: SourceDeps): readonly IdentitySource[] {
  if (!settings.auth.enabled) return [];
  const source = createScreenSource({
    cookiesOf: (request) => cookieValues(headerLines(request, 'cookie'), SCREEN_COOKIE),
    verify: verifyScreen,
    addressOf: addressUnder(settings),
    trace,
  });
  // With a trace there is a line for each request.
  return [remembering && !trace ? cachedOnConnection(source, remembering) : source];
}

const addressUnder = ({ auth }: Settings): ((request: RequestFacts) => string) => {
  const trusted = trustedNetworks(auth.trusted_proxies);
  return (request) => clientAddress(request.peer, headerLines(request, 'x-forwarded-for'), trusted);
};

export function apiTokenSource({ settings, verifyApiToken: verify, trace }: SourceDeps): IdentitySource {
  return createApiTokenSource({ verify, addressOf: addressUnder(settings), trace });
}

/** Interface 5.5.1: the service's own accounts, or the headers of a proxy in front; never both. */
export function externalSource(
  deps: SourceDeps,
  carriesProxySecret: ((request: RequestFacts) => boolean) | undefined,
): IdentitySource {
  const { allowlist, verifySession, roleRegistry, trace, remembering, onRole, onUntrustedHeaders } = deps;
  const { auth, proxy } = deps.settings;
  if (auth.enabled) {
    const source = createSessionSource({ cookieName: auth.cookie_name, verify: verifySession, trace });
    // With a trace there is a line for each request.
    return remembering && !trace ? cachedOnConnection(source, remembering) : source;
  }
  if (proxy.jwt && deps.proxyKeys) {
    const jwt = createProxyJwtSource({
      jwt: proxy.jwt,
      roleMap: proxy.role_map,
      defaultRole: proxy.default_role,
      keys: deps.proxyKeys,
      allowlist,
      roles: roleRegistry.activeAtLastRead,
      now: deps.now,
      carriesProxySecret,
      trace,
      onRole,
    });
    return { name: jwt.name, identify: (request) => mapMaybe(roleRegistry.active(), () => jwt.identify(request)) };
  }
  const peers = trustedPeersOf(deps.settings);
  const trusted = trustedNetworks(peers);
  const source = createProxyHeaderSource({
    headerMap: proxy.header_map,
    allowlist,
    trustsPeer: (peer) => peers.length === 0 || isTrustedPeer(peer, trusted),
    separator: proxy.separator,
    encoding: proxy.header_map.encoding,
    roleMap: proxy.role_map,
    defaultRole: proxy.default_role,
    roles: roleRegistry.activeAtLastRead,
    now: deps.now,
    carriesProxySecret,
    trace,
    onRole,
    onUntrustedHeaders,
  });
  return {
    name: source.name,
    identify: (request) => mapMaybe(roleRegistry.active(), () => source.identify(request)),
  };
}

/** What a verdict depends on. It is dropped with its connection. */
interface Cached {
  readonly cookie: RequestFacts['headers'][string];
  readonly authorization: RequestFacts['headers'][string];
  readonly version: string;
  readonly second: number;
  readonly verdict: IdentityVerdict;
}

/**
 * `source` must decide by the headers `Cookie` and `Authorization` alone. Only an identified caller is cached: a refusal
 * is made, and counted, for each request.
 */
export function cachedOnConnection(source: IdentitySource, { version, now }: Remembering): IdentitySource {
  const known = new WeakMap<object, Cached>();
  return {
    name: source.name,
    identify(request) {
      const { connection, headers } = request;
      const { cookie, authorization } = headers;
      if (!connection || (cookie === undefined && authorization === undefined)) return source.identify(request);
      // Of several lines Node shows the first alone, and another may have decided.
      if (headerLines(request, 'authorization').length > 1) return source.identify(request);
      const before = known.get(connection);
      const [asOf, second] = [version(), now()];
      const isSame = before && before.cookie === cookie && before.authorization === authorization;
      if (isSame && before.version === asOf && before.second === second) return before.verdict;
      return mapMaybe(source.identify(request), (verdict) => {
        if (verdict.kind === 'identified')
          known.set(connection, { cookie, authorization, version: asOf, second, verdict });
        return verdict;
      });
    },
  };
}

/** Who a session token says is calling: `Authorization: Bearer`, else the session cookie (interface 5.1, SPEC 3). */
interface SessionSourceOptions {
  readonly cookieName: string;
  readonly verify: (token: string, carriedBy: 'cookie' | 'bearer') => MaybePromise<SessionVerdict>;
  readonly trace?: Trace<SessionTrace> | undefined;
}

/** RFC 6750 section 2.1. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

const SILENT: IdentityVerdict = { kind: 'silent' };
const REFUSED: IdentityVerdict = { kind: 'refused', reason: 'token-invalid' };

/** A bad bearer token of ours is refused even beside a good cookie. What is none of ours is no credential. */
export function createSessionSource(options: SessionSourceOptions): IdentitySource {
  return {
    name: 'session',
    identify: (request) => {
      const [bearer, ...others] = ownCredentials(request);
      if (bearer) return firstValid(request, others.length === 0 ? [bearer.token] : [], 'bearer', options);
      const cookies = cookieValues(headerLines(request, 'cookie'), options.cookieName);
      if (cookies.length > 0) return firstValid(request, cookies, 'cookie', options);
      options.trace?.({ source: 'session', carriedBy: undefined, outcomes: [] }, request);
      return SILENT;
    },
  };
}

function firstValid(
  request: RequestFacts,
  tokens: readonly string[],
  carriedBy: 'cookie' | 'bearer',
  { verify, trace }: SessionSourceOptions,
): MaybePromise<IdentityVerdict> {
  const asked = tokens.map((token) => (TOKEN.test(token) ? verify(token, carriedBy) : MALFORMED));
  return mapMaybe(allMaybe(asked), (verdicts) => {
    if (trace) trace({ source: 'session', carriedBy, outcomes: verdicts.map(outcomeOf) }, request);
    return oneCaller(verdicts);
  });
}

const MALFORMED: SessionVerdict = { kind: 'invalid', reason: 'malformed' };

const outcomeOf = (verdict: SessionVerdict): SessionTrace['outcomes'][number] =>
  verdict.kind === 'valid' ? 'valid' : verdict.reason;

/** Cookies of two users are refused: another host of the same site can set its own cookie in front of the user's. */
function oneCaller(verdicts: readonly SessionVerdict[]): IdentityVerdict {
  let caller: Caller | undefined;
  for (const verdict of verdicts) {
    if (verdict.kind !== 'valid') continue;
    if (caller && caller.name !== verdict.caller.name) return REFUSED;
    caller ??= verdict.caller;
  }
  return caller ? { kind: 'identified', caller } : REFUSED;
}
