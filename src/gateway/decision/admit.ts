/** The corridor: one straight line of steps that every request walks, HTTP or upgrade; its verdict touches no socket. */
import type { AccessVerdict, Obligations } from '../../access/access-verdict.ts';
import { authorize, type Surroundings } from '../../access/authorize.ts';
import type { RouteMatch, RouteTable } from '../../access/route-table.ts';
import type { Caller } from '../../domain/caller.ts';
import { type MaybePromise, mapMaybe } from '../../domain/maybe-promise.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import {
  headerLines,
  type ListenerName,
  type RequestFacts,
  type RequestTarget,
  singleHeader,
} from '../../domain/request.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { IdentitySource, IdentityVerdict } from '../../domain/verdict.ts';
import { clientAddress, isTrustedPeer, type TrustedNetworks } from './client-address.ts';
import { isCrossSiteForgery, isInternalHost } from './csrf.ts';
import { identify } from './identify.ts';
import type { OwnerLookup } from './owner-lookup.ts';
import { strictTarget } from './strict-target.ts';

/** What the corridor decides by; built once at start and again at a reload. */
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
  /** Whether the question would harm whoever answers it; absent when nobody can be harmed. */
  readonly isHarmful?: (method: string, target: RequestTarget) => boolean;
  /** Whether the query has values that whoever answers would refuse; undefined for no check. */
  readonly isMalformed?: (target: RequestTarget) => boolean;
  /** Told of a peer that is no trusted proxy and describes another request at `/auth`. */
  readonly onUntrustedDescription?: ((peer: string) => void) | undefined;
  /** Told which header is missing when a trusted proxy describes another request at `/auth` by half. */
  readonly onIncompleteDescription?: ((missing: string) => void) | undefined;
}

/** The far end: where it is, and how it came. */
export interface Client {
  readonly address: string;
  /** Over TLS, here or at a trusted proxy. */
  readonly encrypted: boolean;
  /** The Host that the client asked for, here or at a trusted proxy. */
  readonly host: string;
  /** Whether the TCP peer is a trusted proxy, so that what it forwards is believed. */
  readonly viaTrustedProxy: boolean;
  /** The prefix below which it sees the service; absent for none. */
  readonly basePath?: string;
}

export interface Admitted {
  readonly kind: 'admitted';
  readonly client: Client;
  /** Undefined on public routes when nobody is known. */
  readonly caller: Caller | undefined;
  /** What will be sent: perhaps with a narrowed query. */
  readonly target: RequestTarget;
  readonly route: RouteMatch;
  /** What is still to be done with body or answer before either may pass. */
  readonly obligations?: Obligations;
}

export type Admission =
  | Admitted
  | {
      readonly kind: 'nothing-visible';
      readonly client: Client;
      readonly caller: Caller | undefined;
      /** JSON: the answer that has nothing in it. */
      readonly answer: string;
    }
  | {
      readonly kind: 'refused';
      readonly client: Client;
      readonly caller: Caller | undefined;
      readonly reason: RefusalReason;
    };

export function admit(request: RequestFacts, rules: Rules): MaybePromise<Admission> {
  const client = clientOf(request, rules.trusted);
  const plain = strictTarget(request);
  if (plain.kind === 'refused') return refused(plain.reason, client);
  if (request.listener === 'internal' && !isInternalHost(client.host, rules.internalHosts))
    return refused('host-unknown', client);
  const { target } = plain;
  const route = rules.routes.match(request.isUpgrade ? 'WS' : request.method, target.segments);
  return mapMaybe(identify(request, rules.sources[request.listener]), (identity) =>
    admitIdentified({ request, client, target, route }, identity, rules),
  );
}

/** What is known of a request before it is known who calls. */
interface Approach {
  readonly request: RequestFacts;
  readonly client: Client;
  readonly target: RequestTarget;
  readonly route: RouteMatch;
}

function admitIdentified(approach: Approach, identity: IdentityVerdict, rules: Rules): MaybePromise<Admission> {
  const { request, client, target, route } = approach;
  const known = knownCaller(request, route, identity, rules);
  if (!known.ok) return refused(known.error, client);

  const caller = known.value;
  const presentsCredentials = route.kind === 'listed' && route.row.secret === true;
  if (isCrossSiteForgery(request, { caller, presentsCredentials, ...client }))
    return refused('cross-site', client, caller);

  const access = authorize(caller, route, target, rules.surroundings());
  if (access.kind === 'refused') return refused(access.reason, client, caller);
  // A query that the NVR would refuse is refused to a role without cameras as well, though nothing is asked for it.
  if (access.kind === 'nothing-visible' && rules.isMalformed?.(target))
    return refused('parameter-refused', client, caller);
  if (access.kind === 'nothing-visible') return { kind: 'nothing-visible', client, caller, answer: access.answer };
  if (rules.isHarmful?.(request.method, access.target)) return refused('parameter-refused', client, caller);
  return mapMaybe(obligationDenial(request, access, rules), (denied) =>
    denied
      ? refused(denied, client, caller)
      : admitted({ ...approach, target: access.target }, caller, access.obligations),
  );
}

const refused = (reason: RefusalReason, client: Client, caller?: Caller): Admission => ({
  kind: 'refused',
  client,
  caller,
  reason,
});

const admitted = (
  { client, target, route }: Approach,
  caller: Caller | undefined,
  obligations?: Obligations,
): Admission =>
  obligations
    ? { kind: 'admitted', client, caller, target, route, obligations }
    : { kind: 'admitted', client, caller, target, route };

/** Owners are asked for here; the other terms are kept on the way to the NVR and back. */
function obligationDenial(
  { method }: RequestFacts,
  { target, obligations }: AccessVerdict & { kind: 'allowed' },
  { owners }: Rules,
): MaybePromise<RefusalReason | undefined> {
  if (!obligations) return undefined;
  // The head of an answer that is narrowed would tell of the whole one; the NVR has no HEAD there either.
  if (method === 'HEAD' && (obligations.answer || obligations.fanout)) return 'method-not-allowed';
  return obligations.owners && owners.denial(obligations.owners, obligations.view, { method, target });
}

function clientOf(request: RequestFacts, trusted: TrustedNetworks): Client {
  const viaTrustedProxy = isTrustedPeer(request.peer, trusted);
  const forwardedProto = viaTrustedProxy ? singleHeader(request, 'x-forwarded-proto') : undefined;
  // Never on the internal listener: a page that rebinds its own name to this machine could send `localhost` here.
  const believesHost = viaTrustedProxy && request.listener === 'external';
  const forwardedHost = believesHost ? singleHeader(request, 'x-forwarded-host') : undefined;
  return {
    address: viaTrustedProxy
      ? clientAddress(request.peer, headerLines(request, 'x-forwarded-for'), trusted)
      : request.peer,
    encrypted: request.encrypted || forwardedProto?.toLowerCase() === 'https',
    host: forwardedHost ?? singleHeader(request, 'host') ?? '',
    viaTrustedProxy,
    ...(request.basePath === undefined ? {} : { basePath: request.basePath }),
  };
}

/** What headers say: without the proxy's secret it is anybody's word, and what it would be worth is nobody's business. */
const OF_HEADERS: readonly RefusalReason[] = ['proxy-user-missing', 'proxy-role-denied'];

/** A bad credential is refused and never taken for none; only a public route does not mind, and knows nobody then. */
function knownCaller(
  request: RequestFacts,
  route: RouteMatch,
  identity: IdentityVerdict,
  rules: Rules,
): Result<Caller | undefined, RefusalReason> {
  const isPublic = route.kind === 'listed' && route.row.access === 'public';
  const refusal = identity.kind === 'refused' && !isPublic ? identity.reason : undefined;
  if (refusal && !OF_HEADERS.includes(refusal)) return err(refusal);
  const caller = identity.kind === 'identified' ? identity.caller : undefined;
  const credential = caller?.credential.kind;
  if (request.listener === 'internal' || credential === 'api-token') return ok(caller);
  const needsSecret = !isPublic || route.row.secret === true;
  if (!needsSecret && credential !== 'proxy-headers') return ok(caller);
  if (rules.carriesProxySecret?.(request) === false) return needsSecret ? err('proxy-secret-mismatch') : ok(undefined);
  return refusal ? err(refusal) : ok(caller);
}
