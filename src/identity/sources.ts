/** Builds the sources of identity from the settings, says whose headers are believed, and as whom an admin asks to see a response (SPEC 3). */
import type { JWTVerifyGetKey } from 'jose';
import type { RouteMatch } from '../access/route-table.ts';
import type { Services } from '../app/services.ts';
import { trustedPeers } from '../config/schema/proxy-rules.ts';
import type { Settings } from '../config/schema/schema.ts';
import type { User } from '../domain/accounts/account.ts';
import { clientAddress, trustedNetworks } from '../domain/addresses.ts';
import { allMaybe, type MaybePromise, mapMaybe } from '../domain/async.ts';
import { decidedByObject } from '../domain/bounded.ts';
import {
  type ApiTokenVerdict,
  type Caller,
  type IdentitySource,
  type IdentityVerdict,
  INTERNAL_CALLER,
  isAdministrator,
  type SessionVerdict,
  type Verdict,
} from '../domain/caller.ts';
import { type Remembering, unixSeconds } from '../domain/clock.ts';
import { traitsFor } from '../domain/credentials.ts';
import type { RefusalReason } from '../domain/refusal.ts';
import { headerLines, type ListenerName, type RequestFacts, singleHeader } from '../domain/request.ts';
import { attempt } from '../domain/result.ts';
import { type ActiveRoles, toPerson } from '../domain/rights.ts';
import { cookieValues, ownCredentials } from '../domain/sent-credentials.ts';
import { type SourceTrace, type Trace, tracingHeaders } from './identity-trace.ts';
import { createProxyHeaderSource, type ProxySourceOptions } from './proxy-header-source.ts';
import { createProxyJwtSource } from './proxy-jwt-source.ts';

/** What a credential is worth now, by kind. `address`: the client's, behind trusted proxies. */
export interface Verifiers {
  readonly verifySession: (token: string, carriedBy: 'cookie' | 'bearer') => MaybePromise<SessionVerdict>;
  readonly verifyApiToken: (
    token: string,
    carriedBy: 'bearer' | 'basic',
    address: string,
  ) => MaybePromise<ApiTokenVerdict>;
}

export interface SourceDeps extends Verifiers, Omit<ProxySourceOptions, 'proxy' | 'trustsPeer' | 'roles' | 'trace'> {
  readonly settings: Settings;
  /** The roles as last read, and as they are now. */
  readonly roleRegistry: { activeAtLastRead(): ActiveRoles; active(): MaybePromise<ActiveRoles> };
  readonly trace?: Trace | undefined;
  readonly isNoted?: boolean;
  /** Absent: sessions are looked up for each request. */
  readonly remembering?: Remembering;
  /** Those of features. */
  readonly slotted?: readonly SlottedSource[];
  /** The keys of `proxy.jwt`. */
  readonly proxyKeys?: JWTVerifyGetKey | undefined;
}

/** What a source of a feature may use. `isNoted`: absent, nothing is counted, limited or remembered as used. */
export interface Told {
  /** The client's address, behind trusted proxies. */
  readonly addressOf: (request: RequestFacts) => string;
  readonly trace?: Trace<SourceTrace> | undefined;
  readonly isNoted?: boolean | undefined;
}

/** A source of a feature, by its place: the first on both listeners, or the last of those with accounts. */
export interface SlottedSource {
  readonly slot: 'first' | 'after-session';
  readonly make: (told: Told) => IdentitySource;
}

/**
 * The sources of each listener, in the order in which they are asked. API tokens, and what stands first, are credentials of their own, with
 * accounts and in proxy mode alike (SPEC 3, 13).
 */
export function identitySources(deps: SourceDeps): Readonly<Record<ListenerName, readonly IdentitySource[]>> {
  const { auth } = deps.settings;
  const trusted = trustedNetworks(auth.trusted_proxies);
  const told = {
    ...deps,
    trace: deps.trace && tracingHeaders(deps.trace, deps.allowlist),
    addressOf: (request: RequestFacts) => clientAddress(request.peer, headerLines(request, 'x-forwarded-for'), trusted),
  };
  /** A trace has a line for each request, so nothing is remembered with one. */
  const cached = (source: IdentitySource): IdentitySource =>
    deps.remembering && !deps.trace ? cachedOnConnection(source, deps.remembering) : source;
  const tokens = createApiTokenSource(told);
  const inSlot = (slot: SlottedSource['slot']) =>
    (deps.slotted ?? []).filter((one) => one.slot === slot).map(({ make }) => make(told));
  const first = inSlot('first');
  return {
    internal: [...first, internalSource],
    external: auth.enabled
      ? [
          ...first,
          tokens,
          ...[createSessionSource({ ...told, cookieName: auth.cookie_name }), ...inSlot('after-session')].map(cached),
        ]
      : [...first, tokens, proxySource(deps)],
  };
}

/** Whose headers are believed where the service has no accounts of its own: everybody's where no peer is named (interface 5.5). */
export const peersTrusted = decidedByObject((settings: Settings) => {
  const peers = trustedPeers(settings);
  const { includes } = trustedNetworks(peers);
  return (peer: string): boolean => peers.length === 0 || includes(peer);
});

/** Interface 5.5.1: the headers of a proxy in front, where the service has no accounts of its own; never both. */
function proxySource(deps: SourceDeps): IdentitySource {
  const { roleRegistry, proxyKeys: keys } = deps;
  const { proxy } = deps.settings;
  const trustsPeer = peersTrusted(deps.settings);
  const options = { ...deps, proxy, trustsPeer, roles: roleRegistry.activeAtLastRead };
  const source =
    proxy.jwt && keys ? createProxyJwtSource({ ...options, jwt: proxy.jwt, keys }) : createProxyHeaderSource(options);
  return (request) => mapMaybe(roleRegistry.active(), () => source(request));
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
  return (request) => {
    const { connection, headers } = request;
    const { cookie, authorization } = headers;
    if (!connection || (cookie === undefined && authorization === undefined)) return source(request);
    // Of several lines Node shows the first alone, and another may have decided.
    if (headerLines(request, 'authorization').length > 1) return source(request);
    const before = known.get(connection);
    const [asOf, second] = [version(), now()];
    const isSame = before && before.cookie === cookie && before.authorization === authorization;
    if (isSame && before.version === asOf && before.second === second) return before.verdict;
    return mapMaybe(source(request), (verdict) => {
      if (verdict.kind === 'identified')
        known.set(connection, { cookie, authorization, version: asOf, second, verdict });
      return verdict;
    });
  };
}

const SILENT: IdentityVerdict = { kind: 'silent' };
const refused = (reason: RefusalReason): IdentityVerdict => ({ kind: 'refused', reason });

export const verdictOutcome = <Fault>(verdict: Verdict<Fault>): 'valid' | Fault =>
  verdict.kind === 'valid' ? 'valid' : verdict.reason;

export const judged = <Fault>(verdict: Verdict<Fault>, reasonOf: (fault: Fault) => RefusalReason): IdentityVerdict =>
  verdict.kind === 'valid' ? { kind: 'identified', caller: verdict.caller } : refused(reasonOf(verdict.reason));

/**
 * `Authorization: Bearer pst_…`, or as the password of Basic. Bearer tokens without `pst_`, and the passwords of people, are not
 * this source's to judge.
 */
export const createApiTokenSource =
  ({ verifyApiToken, addressOf, trace }: Told & Pick<Verifiers, 'verifyApiToken'>): IdentitySource =>
  (request) => {
    const own = ownCredentials(request);
    const found = own.find(({ kind }) => kind === 'api-token');
    if (!found) return SILENT;
    // Two of ours are two answers to one question, even when both are the same.
    if (own.length > 1) return refused('token-invalid');
    const { token, carriedBy } = found;
    return mapMaybe(verifyApiToken(token, carriedBy, addressOf(request)), (verdict) => {
      trace?.({ source: 'api-token', carriedBy, outcomes: [verdictOutcome(verdict)] }, request);
      return judged(verdict, (fault) => (fault === 'limited' ? 'tokens-limited' : 'token-invalid'));
    });
  };

/** RFC 6750 section 2.1. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

const REFUSED = refused('token-invalid');

/**
 * Who a session token says is calling: `Authorization: Bearer`, else the session cookie (interface 5.1, SPEC 3). A bad bearer
 * token of ours is refused even beside a good cookie, and so are two. A Bearer of another program is no credential.
 */
export const createSessionSource =
  ({
    verifySession,
    cookieName,
    trace,
  }: Pick<Told, 'trace'> & Pick<Verifiers, 'verifySession'> & { readonly cookieName: string }): IdentitySource =>
  (request) => {
    const [bearer, ...others] = ownCredentials(request);
    const cookies = bearer ? [] : cookieValues(headerLines(request, 'cookie'), cookieName);
    const carriedBy = bearer ? 'bearer' : 'cookie';
    if (!bearer && cookies.length === 0) {
      trace?.({ source: 'session', outcomes: [] }, request);
      return SILENT;
    }
    const tokens = bearer && others.length === 0 ? [bearer.token] : cookies;
    const asked = tokens.map((token) => (TOKEN.test(token) ? verifySession(token, carriedBy) : MALFORMED));
    return mapMaybe(allMaybe(asked), (verdicts) => {
      trace?.({ source: 'session', carriedBy, outcomes: verdicts.map(verdictOutcome) }, request);
      return oneCaller(verdicts);
    });
  };

const MALFORMED: SessionVerdict = { kind: 'invalid', reason: 'malformed' };

/** Cookies of two users are refused: another host of the same domain can set its own cookie in front of the user's. */
function oneCaller(verdicts: readonly SessionVerdict[]): IdentityVerdict {
  const callers = verdicts.flatMap((verdict) => (verdict.kind === 'valid' ? [verdict.caller] : []));
  const [caller] = callers;
  return caller && callers.every(({ name }) => name === caller.name) ? { kind: 'identified', caller } : REFUSED;
}

/** Who calls on port 5000: `anonymous`, as admin, by listener and never by a header (interface 5.6). */
export const internalSource: IdentitySource = ({ listener }) =>
  listener === 'internal' ? { kind: 'identified', caller: INTERNAL_CALLER } : SILENT;

/** An admin asks to see a response as another person would get it: by the name of an account, percent-encoded. Each request says it anew: there is no session of the other person, and no cookie. */
const VIEW_AS = 'x-postern-view-as';

/** The account of that name as it may be used now, seen by the admin; undefined when there is none. */
export type FindViewed = (by: Caller, name: string) => Promise<Caller | undefined>;

export const asksViewAs = ({ headers }: Pick<RequestFacts, 'headers'>): boolean => headers[VIEW_AS] !== undefined;

/**
 * The name of the person who is to be viewed; undefined: refused. The request must be a GET of a row that is marked for it, with
 * the session of an admin: a token, a link, a proxy's user and the internal listener never see as another person. Whether a page
 * of Postern's own has sent it is for the gate to say.
 */
export const viewedName = (request: RequestFacts, caller: Caller, route: RouteMatch): string | undefined =>
  mayView(caller) && isMarkedRead(request, route) ? nameIn(request) : undefined;

const mayView = (caller: Caller): boolean => traitsFor(caller.credential).mayViewAs === true && isAdministrator(caller);

const isMarkedRead = ({ method, isUpgrade, listener, pathSecret }: RequestFacts, route: RouteMatch): boolean =>
  method === 'GET' &&
  !isUpgrade &&
  listener === 'external' &&
  pathSecret === undefined &&
  route.kind === 'listed' &&
  route.row.view_as === true;

const LONGEST_NAME = 512;

function nameIn(request: RequestFacts): string | undefined {
  const sent = singleHeader(request, VIEW_AS);
  if (sent === undefined || sent === '' || sent.length > LONGEST_NAME) return undefined;
  return attempt(() => decodeURIComponent(sent));
}

/** Accounts of Postern's own alone have rights that are known without a request of theirs. */
export function createViewAs({
  store,
  clock,
  roleRegistry,
  owesFactor,
}: Pick<Services, 'clock' | 'roleRegistry'> & {
  readonly store: Pick<Services['store'], 'accounts'>;
  readonly owesFactor: (user: User) => boolean;
}) {
  const find: FindViewed = async (by, name) => {
    const user = await store.accounts.findUser(name);
    if (!user) return undefined;
    const person = toPerson(user, await roleRegistry.active(), unixSeconds(clock), owesFactor(user));
    return { ...person, credential: { kind: 'view-as', by } };
  };
  return {
    find,
    /** `recheck`: of the admin. */
    async recheck({ name, credential }: Caller, recheck: (caller: Caller) => Promise<Caller | undefined>) {
      const by = credential.kind === 'view-as' ? await recheck(credential.by) : undefined;
      return by && !by.closed && !by.mustEnrol && mayView(by) ? find(by, name) : undefined;
    },
  };
}
