/**
 * The decision on a request, HTTP or upgrade. It takes facts and gives a verdict; it touches no socket. The steps, in the
 * order in which they run; the first that refuses gives the reason:
 *
 *  1. strict target and head      one path in one spelling, one framing, one Host       400, 405, 417, 431
 *  2. client address              through trusted proxies; refuses nothing, every verdict names it
 *  3. host                        the internal listener answers to its own names only    403
 *  4. route                       the row of the route table, or of the path of the NVR that it stands for  404, 429
 *  5. identity                    the sources in their order; a bad credential is refused 401, 429
 *  6. proxy secret                before any header of the proxy counts                   401, 403
 *  7. CSRF                        a browser page of another site                          403
 *  8. open                        an account outside its validity, a role outside its hours; then a caller who must set
 *                                 up a second factor can do nothing else                  403
 *     view as                     an admin's request goes on as one of the person who is viewed, who must be open, too  403
 *  9. subtractions                what features take is out of the caller's scope, as the cameras that are drawn; then
 *     authorization               row, role, cameras that the request names              401, 403, 404, 503
 * 10. query bounds                values that would stall the NVR                         422
 * 11. HEAD of a narrowed response                                                         405
 * 12. owner lookup                the client's place, then whose camera an id belongs to  400, 403, 404, 502, 503
 */
import type { AccessVerdict, Obligations, Surroundings } from '../../access/access-verdict.ts';
import { authorize } from '../../access/authorize.ts';
import { refusedCameras } from '../../access/camera-locators.ts';
import type { ThingPaths } from '../../access/nvr-adapter.ts';
import { isOwn, type RouteMatch, type RouteTable } from '../../access/route-table.ts';
import { isInternalHost, type TrustedNetworks } from '../../domain/addresses.ts';
import { type MaybePromise, mapMaybe } from '../../domain/async.ts';
import type { Caller, IdentitySource, IdentityVerdict } from '../../domain/caller.ts';
import { traitsFor } from '../../domain/credentials.ts';
import type { RefusalReason, RefusedCameras, Reopening } from '../../domain/refusal.ts';
import type { ListenerName, RequestFacts, RequestTarget } from '../../domain/request.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { findStoreFault } from '../../domain/store/store-fault.ts';
import { asksViewAs, type FindViewed, viewedName } from '../../identity/sources.ts';
import type { TakePlace } from './client-limits.ts';
import { isCrossSiteForgery, isFromOwnPage, isOriginHidden } from './csrf.ts';
import type { OwnerLookup } from './owner-lookup.ts';
import { type Client, findClient } from './request-facts.ts';
import { strictTarget } from './strict-target.ts';

/** A peer that is no trusted proxy describes a request; or a trusted one by half, or in two ways that differ. */
export type DescriptionFault =
  | { readonly kind: 'untrusted'; readonly peer: string }
  | { readonly kind: 'incomplete'; readonly missing: string }
  | { readonly kind: 'conflicting'; readonly one: string; readonly other: string };

/**
 * The path of the NVR that a path of this service stands for, and the secret that is its credential; or why it has none. Nothing of
 * the client's path but the name of a file, and nothing of its query, gets into the new target.
 */
export type StandsFor = (
  segments: readonly string[],
  address: string,
  things: ThingPaths,
) => MaybePromise<RefusalReason | { readonly target: string; readonly pathSecret: string }>;

/** What a decision is made by; built once at start and again at a reload. */
export interface Rules {
  readonly trusted: TrustedNetworks;
  readonly routes: RouteTable;
  readonly sources: Readonly<Record<ListenerName, readonly IdentitySource[]>>;
  /** Undefined when no `proxy.auth_secret` is set. */
  readonly carriesProxySecret: ((request: RequestFacts) => boolean) | undefined;
  readonly internalHosts: readonly string[];
  /** `server.base_path`; absent or empty for none. */
  readonly basePath?: string;
  readonly surroundings: () => Surroundings;
  readonly owners: OwnerLookup;
  /** Undefined: no path of this service stands for one of the NVR. */
  readonly standsFor?: StandsFor | undefined;
  /** The caller without the cameras that features take from it (SPEC 19). Absent: none is taken. */
  readonly subtract?: ((caller: Caller) => MaybePromise<Caller>) | undefined;
  /** Undefined: no response is seen as another person. */
  readonly findViewed?: FindViewed | undefined;
  /** The parameter that could stall the NVR if this query was forwarded (limits, patterns). Absent: no check. */
  readonly harmfulIn?: (method: string, target: RequestTarget) => string | undefined;
  /** The parameter that the NVR would refuse. Absent: no check. */
  readonly malformedIn?: (target: RequestTarget) => string | undefined;
  /** Whether the NVR is known to be of an older release. Absent: it is not known. */
  readonly isNvrOlder?: ((release: string) => Promise<boolean>) | undefined;
  /** Called with what keeps a description of another request at `/auth` from being judged. */
  readonly onDescription?: ((fault: DescriptionFault) => void) | undefined;
  /** The origin of `server.public_url`; absent for none. */
  readonly publicOrigin?: string | undefined;
}

export interface Admitted {
  readonly kind: 'admitted';
  readonly client: Client;
  /** Undefined on public routes when the caller is unknown. */
  readonly caller: Caller | undefined;
  /** The reason why the credentials that came along were not accepted, on public routes. */
  readonly credentialFault?: RefusalReason;
  /** The target that will be sent: the query may be narrowed. */
  readonly target: RequestTarget;
  readonly route: RouteMatch;
  /** What must be done with body or response before either may pass. */
  readonly obligations?: Obligations;
}

export type Admission =
  | Admitted
  | (Pick<Admitted, 'client' | 'caller'> &
      (
        | {
            readonly kind: 'nothing-visible';
            /** JSON: the empty response. */
            readonly body: string;
          }
        | ({ readonly kind: 'refused'; readonly reason: RefusalReason } & ToldOfRefusal)
      ));

interface ToldOfRefusal {
  /** When the same request may pass: of an account that has not begun, or a role outside its hours. */
  readonly opens?: Reopening | undefined;
  /** The refused cameras that the request names. */
  readonly cameras?: RefusedCameras | undefined;
  /** The hosts and origins of this service that `Origin` was compared with. */
  readonly comparedWith?: readonly string[] | undefined;
  /** The parameter of the query that is not accepted. */
  readonly parameter?: string | undefined;
}

/** `takePlace` is for a request of a client: absent, the decision is one about a request that has its place, or needs none. */
export function admit(request: RequestFacts, rules: Rules, takePlace: TakePlace = () => []): MaybePromise<Admission> {
  const strict = strictTarget(request); // 1
  const client = findClient(request, rules.trusted); // 2
  if (!strict.ok) return refused(strict.error, client);
  if (request.listener === 'internal' && !isInternalHost(client.host, rules.internalHosts))
    return refused('host-unknown', client); // 3
  const target = strict.value;
  const route = rules.routes.match(request.isUpgrade ? 'WS' : request.method, target.segments); // 4
  if (standsForAnother(route) && request.pathSecret === undefined) {
    const found = rules.standsFor?.(target.segments, client.address, rules.routes.nvr.things) ?? 'path-not-found';
    return mapMaybe(found, (instead) =>
      typeof instead === 'string' ? refused(instead, client) : admit({ ...request, ...instead }, rules, takePlace),
    );
  }
  return mapMaybe(identifyCaller(request, route, rules), (identity) =>
    admitIdentified({ request, client, target, route, takePlace, identity }, rules),
  ); // 5
}

/** What is known of a request when the sources of identity were asked, and it is not judged yet. */
interface IdentifiedRequest {
  readonly request: RequestFacts;
  readonly client: Client;
  readonly target: RequestTarget;
  readonly route: RouteMatch;
  readonly takePlace: TakePlace;
  readonly identity: IdentityVerdict;
}

/**
 * While the store fails nothing can be said of a caller. Postern's own public routes are served all the same, to a caller
 * that is unknown: a logout must reach the route, which ends the session by its token.
 */
function identifyCaller(request: RequestFacts, route: RouteMatch, rules: Rules): MaybePromise<IdentityVerdict> {
  const identity = identify(request, rules.sources[request.listener]);
  if (!(identity instanceof Promise) || !isOwn(route) || route.row.access !== 'public') return identity;
  return identity.catch((fault: unknown) => {
    if (findStoreFault(fault)) return { kind: 'refused', reason: 'store-unavailable' };
    throw fault;
  });
}

function admitIdentified(identified: IdentifiedRequest, rules: Rules): MaybePromise<Admission> {
  const { request, client, route, identity } = identified;
  const accepted = acceptedCaller(request, route, identity, rules.carriesProxySecret); // 6
  if (!accepted.ok) return refused(accepted.error, client);
  const caller = accepted.value;

  const presentsCredentials = route.kind === 'listed' && route.row.secret === true;
  const { host, encrypted } = client;
  const { publicOrigin } = rules;
  if (isCrossSiteForgery(request, { caller, presentsCredentials, host, encrypted, publicOrigin })) {
    const reason = isOriginHidden(request) ? 'origin-hidden' : 'cross-site';
    const comparedWith = [host, ...(publicOrigin === undefined ? [] : [publicOrigin])];
    return { ...refused(reason, client, caller), comparedWith }; // 7
  }

  const notOpen = openFault(caller, identified); // 8
  if (notOpen) return notOpen;
  if (!caller || !asksViewAs(request)) return admitOpen(identified, caller, rules);
  const name = isFromOwnPage(request, { ...client, publicOrigin }) ? viewedName(request, caller, route) : undefined;
  const viewed = name === undefined ? undefined : rules.findViewed?.(caller, name);
  return mapMaybe(viewed, (person) => {
    if (!person) return refused('view-as-refused', client, caller);
    return openFault(person, identified) ?? admitOpen(identified, person, rules);
  });
}

function openFault(caller: Caller | undefined, { client, route }: IdentifiedRequest): Admission | undefined {
  const { reason, opens } = caller?.closed ?? {};
  if (reason && !isOpenToAll(route)) return { ...refused(reason, client, caller), ...(opens && { opens }) };
  return caller?.mustEnrol && !mayEnrolBy(route) ? refused('second-factor-required', client, caller) : undefined;
}

/** Every caller comes through here, whatever its credential. */
function admitOpen(identified: IdentifiedRequest, caller: Caller | undefined, rules: Rules): MaybePromise<Admission> {
  const { subtract } = rules;
  // Public rows are for everyone, also while the store cannot say what is drawn.
  if (!caller || !subtract || isOpenToAll(identified.route)) return admitWithin(identified, caller, rules);
  return mapMaybe(subtract(caller), (left) => admitWithin(identified, left, rules));
}

function admitWithin(identified: IdentifiedRequest, caller: Caller | undefined, rules: Rules): MaybePromise<Admission> {
  const { client, target, route } = identified;
  const surroundings = rules.surroundings();
  const access = authorize(caller, route, target, surroundings); // 9
  if (access.kind === 'refused') {
    const cameras =
      access.reason === 'camera-not-in-role' ? refusedCameras(caller, route, target, surroundings.layout) : undefined;
    const { parameter } = access;
    const told = { ...(cameras && { cameras }), ...(parameter !== undefined && { parameter }) };
    return { ...refused(access.reason, client, caller), ...told };
  }
  if (access.kind === 'allowed') return admitAuthorized(access, identified, caller, rules);
  // The response to a role without cameras is known, and the NVR is not asked; a query it would refuse is refused too.
  const parameter = rules.malformedIn?.(target); // 10
  if (parameter !== undefined) return { ...refused('parameter-refused', client, caller), parameter };
  return { kind: 'nothing-visible', client, caller, body: access.body };
}

function admitAuthorized(
  { target, obligations }: AccessVerdict & { kind: 'allowed' },
  { request, client, route, identity, takePlace }: IdentifiedRequest,
  caller: Caller | undefined,
  { harmfulIn, owners, trusted, carriesProxySecret }: Rules,
): MaybePromise<Admission> {
  const { method } = request;
  const fault = credentialFault(request, identity, carriesProxySecret);
  const parameter = harmfulIn?.(method, target); // 10
  if (parameter !== undefined) return { ...refused('parameter-refused', client, caller), parameter };
  if (!obligations)
    return { kind: 'admitted', client, caller, target, route, ...(fault && { credentialFault: fault }) };
  // The head of a response that is narrowed would tell of the whole one; the NVR has no HEAD there either.
  if (
    method === 'HEAD' &&
    (obligations.responseForm ||
      obligations.addresses ||
      obligations.fanout ||
      obligations.playlistAt ||
      obligations.refusedHeader)
  )
    return refused('method-not-allowed', client, caller); // 11
  const admitted: Admitted = { kind: 'admitted', client, caller, target, route, obligations };
  if (!obligations.owners) return admitted;
  // Before the NVR is asked: each question takes its time there, and a client may have many requests wait for theirs.
  const sharer = takePlace(admitted, trusted);
  if (!sharer) return refused('client-busy', client, caller);
  return mapMaybe(owners.denial(obligations.owners, obligations.view, { method, target, sharer }), (reason) =>
    reason ? refused(reason, client, caller) : admitted,
  ); // 12
}

/** Not for another method or spelling of such a path, whose row says `none`. */
const standsForAnother = (route: RouteMatch): boolean =>
  isOwn(route) && route.row.stands_for === 'nvr' && route.row.access === 'public';

/** Postern's own public rows: its pages, login, logout. Of the NVR not even public pages: they are of no use to such a caller. */
const isOpenToAll = (route: RouteMatch): boolean => isOwn(route) && route.row.access === 'public';

export const refused = (
  reason: RefusalReason,
  client: Client,
  caller?: Caller,
): Extract<Admission, { kind: 'refused' }> => ({ kind: 'refused', client, caller, reason });

/**
 * Whether a refusal of the sources comes from the proxy's headers. Without the proxy secret those headers are untrusted: the
 * secret is checked before they count, so that 401 and 403 reveal no mapping of groups.
 */
const isFromHeaders = (reason: RefusalReason): boolean => reason.startsWith('proxy-');

/**
 * A bad credential is refused and never taken for none; on a public route it is ignored, and the caller is unknown.
 * `carriesProxySecret` is undefined when no `proxy.auth_secret` is set.
 */
export function acceptedCaller(
  request: RequestFacts,
  route: RouteMatch,
  identity: IdentityVerdict,
  carriesProxySecret: ((request: RequestFacts) => boolean) | undefined,
): Result<Caller | undefined, RefusalReason> {
  const isPublic = route.kind === 'listed' && route.row.access === 'public';
  const refusal = identity.kind === 'refused' && !isPublic ? identity.reason : undefined;
  if (refusal && !isFromHeaders(refusal)) return err(refusal);
  const known = identity.kind === 'identified' ? identity.caller : undefined;
  if (known && !traitsFor(known.credential).isFromRequest) return err('token-invalid');
  // A person can log in beside a display that was lent rights.
  const caller = isPublic && known && !traitsFor(known.credential).isKnownOnPublicRoutes ? undefined : known;
  const withoutSecret = caller ? traitsFor(caller.credential).withoutProxySecret : 'on-public-routes';
  if (request.listener === 'internal' || withoutSecret === 'everywhere') return ok(caller);
  const needsSecret = !isPublic || route.row.secret === true;
  if (!needsSecret && withoutSecret === 'on-public-routes') return ok(caller);
  if (carriesProxySecret?.(request) === false) return needsSecret ? err('proxy-secret-mismatch') : ok(undefined);
  return refusal ? err(refusal) : ok(caller);
}

/**
 * The reason why credentials were not accepted on a public route, for the login page. A user that the proxy has signed in, and
 * whose groups give no role, must be told so. Without the proxy secret nothing is told of the proxy's headers.
 */
export function credentialFault(
  request: RequestFacts,
  identity: IdentityVerdict,
  carriesProxySecret: ((request: RequestFacts) => boolean) | undefined,
): RefusalReason | undefined {
  if (identity.kind !== 'refused') return undefined;
  if (isFromHeaders(identity.reason) && carriesProxySecret?.(request) === false) return undefined;
  return identity.reason;
}

/**
 * Postern's own public routes (its pages, login, logout), and the rows that name themselves. Nothing of the NVR, not even
 * its public pages: a browser that opens one is led to where the factor is set up.
 */
const mayEnrolBy = (route: RouteMatch): boolean =>
  isOwn(route) && (route.row.access === 'public' || route.row.enrolment === true);

const SILENT: IdentityVerdict = { kind: 'silent' };

function identify(request: RequestFacts, sources: readonly IdentitySource[], at = 0): MaybePromise<IdentityVerdict> {
  const source = sources[at];
  if (!source) return SILENT;
  return mapMaybe(source(request), (verdict) =>
    verdict.kind === 'silent' ? identify(request, sources, at + 1) : verdict,
  );
}
