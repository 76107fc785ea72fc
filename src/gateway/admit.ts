/** The corridor: one straight line of steps that every request walks, HTTP or upgrade; its verdict touches no socket. */
import { authorize, type KnownCameras } from '../access/authorize.ts';
import type { RouteMatch, RouteTable } from '../access/route-table.ts';
import type { Caller } from '../domain/caller.ts';
import type { RefusalReason } from '../domain/refusal.ts';
import {
  headerLines,
  type ListenerName,
  type PlainTarget,
  type RequestFacts,
  singleHeader,
} from '../domain/request.ts';
import type { IdentitySource, IdentityVerdict } from '../domain/verdict.ts';
import { clientAddress, isTrustedPeer, type TrustedNetworks } from './client-address.ts';
import { identify } from './identify.ts';
import { plainTarget } from './plain-target.ts';
import { isForgeable, isInternalHost } from './same-site.ts';

/** What the corridor decides by; built once at start and again at a reload. */
export interface Rules {
  readonly trusted: TrustedNetworks;
  readonly routes: RouteTable;
  readonly sources: Readonly<Record<ListenerName, readonly IdentitySource[]>>;
  /** Undefined when no `proxy.auth_secret` is set. */
  readonly carriesProxySecret: ((request: RequestFacts) => boolean) | undefined;
  readonly internalHosts: readonly string[];
  readonly knownCameras: () => KnownCameras;
  /** Whether the question would harm whoever answers it; absent when nobody can be harmed. */
  readonly isHarmful?: (method: string, target: PlainTarget) => boolean;
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
}

export interface Admitted {
  readonly kind: 'admitted';
  readonly client: Client;
  /** Undefined on public routes when nobody is known. */
  readonly caller: Caller | undefined;
  /** What will be sent: perhaps with a narrowed query. */
  readonly target: PlainTarget;
  readonly route: RouteMatch;
}

export type Admission =
  | Admitted
  | { readonly kind: 'nothing-visible'; readonly client: Client; readonly caller: Caller | undefined }
  | {
      readonly kind: 'refused';
      readonly client: Client;
      readonly caller: Caller | undefined;
      readonly reason: RefusalReason;
    };

export async function admit(request: RequestFacts, rules: Rules): Promise<Admission> {
  const client = clientOf(request, rules.trusted);
  const refused = (reason: RefusalReason, caller?: Caller): Admission => ({ kind: 'refused', client, caller, reason });

  const plain = plainTarget(request);
  if (plain.kind === 'refused') return refused(plain.reason);
  if (request.listener === 'internal' && !isInternalHost(client.host, rules.internalHosts))
    return refused('host-unknown');

  const route = rules.routes.match(request.isUpgrade ? 'WS' : request.method, plain.target.segments);
  const identity = await identify(request, rules.sources[request.listener]);
  const denial = credentialsDenial(request, route, identity, rules);
  if (denial) return refused(denial);

  const caller = identity.kind === 'identified' ? identity.caller : undefined;
  const presentsCredentials = route.kind === 'listed' && route.row.secret === true;
  if (isForgeable(request, { caller, presentsCredentials, ...client })) return refused('cross-site', caller);

  const access = authorize(caller, route, plain.target, rules.knownCameras());
  switch (access.kind) {
    case 'refused':
      return refused(access.reason, caller);
    case 'nothing-visible':
      return { kind: 'nothing-visible', client, caller };
    case 'allowed':
      if (rules.isHarmful?.(request.method, access.target)) return refused('parameter-refused', caller);
      return { kind: 'admitted', client, caller, target: access.target, route };
  }
}

function clientOf(request: RequestFacts, trusted: TrustedNetworks): Client {
  const viaTrustedProxy = isTrustedPeer(request.peer, trusted);
  const forwardedProto = viaTrustedProxy ? singleHeader(request, 'x-forwarded-proto') : undefined;
  const forwardedHost = viaTrustedProxy ? singleHeader(request, 'x-forwarded-host') : undefined;
  return {
    address: clientAddress(request.peer, headerLines(request, 'x-forwarded-for'), trusted),
    encrypted: request.encrypted || forwardedProto?.toLowerCase() === 'https',
    host: forwardedHost ?? singleHeader(request, 'host') ?? '',
    viaTrustedProxy,
  };
}

/** A bad credential is refused and never taken for none; only a public route does not mind. */
function credentialsDenial(
  request: RequestFacts,
  route: RouteMatch,
  identity: IdentityVerdict,
  rules: Rules,
): RefusalReason | undefined {
  const isPublic = route.kind === 'listed' && route.row.access === 'public';
  if (identity.kind === 'refused' && !isPublic) return identity.reason;
  const needsSecret = request.listener === 'external' && (!isPublic || route.row.secret === true);
  const isApiToken = identity.kind === 'identified' && identity.caller.credential.kind === 'api-token';
  if (needsSecret && !isApiToken && rules.carriesProxySecret?.(request) === false) return 'proxy-secret-mismatch';
  return undefined;
}
