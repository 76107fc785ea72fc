/** A gate on port 0 with nothing but a forwarder behind it: what passes, passes as the internal listener's admin. */
import type { OwnConfig } from '../../src/access/nvr-adapter.ts';
import { layoutOfNames } from '../../src/access/recorder-layout.ts';
import { compileRouteTable } from '../../src/access/route-table.ts';
import type { TrustedNetworks, Upstream } from '../../src/domain/addresses.ts';
import { REFUSALS, type RefusalReason } from '../../src/domain/refusal.ts';
import type { Rules } from '../../src/gateway/decision/admit.ts';
import { createClientLimits } from '../../src/gateway/decision/client-limits.ts';
import { createHandlers } from '../../src/gateway/entry/app.ts';
import type { OpenStreams } from '../../src/gateway/entry/open-streams.ts';
import { createUnknownRoutes } from '../../src/gateway/entry/pipeline.ts';
import { createForwarder, type ForwardRules } from '../../src/gateway/forward/forwarder.ts';
import type { Gate } from '../../src/gateway/gate.ts';
import { type Listener, listen } from '../../src/gateway/listen/listeners.ts';
import type { ServedCertificates } from '../../src/gateway/listen/tls-server.ts';
import { createMessageRelay } from '../../src/gateway/websocket/message-relay.ts';
import { createUpgradeProxy } from '../../src/gateway/websocket/proxy-upgrade.ts';
import { internalSource } from '../../src/identity/sources.ts';
import { createUpstreamSlots, type SlotRules } from '../../src/outbound/ask-upstream.ts';
import type { EndedRequest, GateWatch, RequestWatch } from '../../src/telemetry/watch-gate.ts';

export interface StartedGate {
  readonly port: number;
  readonly url: string;
  /** Reasons of requests that were admitted and could not be answered. */
  readonly failures: RefusalReason[];
  readonly faults: unknown[];
  /** Cause, peer and code of what never became a request. */
  readonly refusals: string[];
  /** What the gauge of places shows. */
  placesInUse(): { readonly client: number; readonly taken: number; readonly waiting: number };
  readonly ends: EndedRequest[];
  readonly listener: Listener;
  close(): Promise<void>;
}

const RULES: ForwardRules = {
  cookieName: 'frigate_token',
  maxUpload: 20_000_000,
  timeoutConnect: 5,
  timeoutResponse: 60,
  timeoutIdle: 300,
  ca: undefined,
  verify: true,
};
const OWN_CONFIG: OwnConfig = {
  auth: { enabled: true, roles: {}, refresh_time: 1800, session_length: 86_400, cookie_name: RULES.cookieName },
  proxy: { logout_url: undefined },
};
export const NOBODY_WATCHES: RequestWatch = {
  onDecision() {},
  onRefusal() {},
  onFailure() {},
  onFault() {},
  onUnknownRoute() {},
  onEnd() {},
  onAsked() {},
  onHead() {},
  onBytes() {},
  onUploaded() {},
  onUpstreamError() {},
  onCut() {},
  onEndedBy() {},
};
const NOBODY_TRUSTED: TrustedNetworks = { includes: () => false };

export async function startGate(
  upstream: Upstream,
  rules: Partial<ForwardRules> = {},
  watch?: GateWatch,
  more: {
    readonly tls?: ServedCertificates;
    readonly timeoutHeaders?: number;
    readonly timeoutStalled?: number;
    readonly upstreamSlots?: SlotRules;
    readonly holdStream?: OpenStreams['add'];
    /** Laid over what the gate works with, and over its rules. */
    readonly deps?: Partial<Gate>;
    readonly rules?: Partial<Rules>;
  } = {},
): Promise<StartedGate> {
  const failures: RefusalReason[] = [];
  const faults: unknown[] = [];
  const ends: EndedRequest[] = [];
  const refusals: string[] = [];
  const recorder: RequestWatch = {
    ...NOBODY_WATCHES,
    onFailure: (reason) => void failures.push(reason),
    onFault: (fault) => void faults.push(fault),
    onEnd: (end) => void ends.push(end),
  };
  const forwarder = createForwarder({ ...RULES, ...rules });
  let requests = 0;
  const clientLimits = createClientLimits((address) => address);
  const upstreamSlots = createUpstreamSlots(more.upstreamSlots);
  const handlers = createHandlers('internal', {
    rules: () => ({
      trusted: NOBODY_TRUSTED,
      routes: compileRouteTable([]),
      sources: { internal: [internalSource], external: [] },
      carriesProxySecret: undefined,
      internalHosts: [],
      surroundings: () => ({ layout: layoutOfNames([]), now: 0 }),
      owners: { denial: async () => undefined },
      ...more.rules,
    }),
    destinations: { eventsBackend: undefined, nvr: upstream, routes: [] },
    headers: () => ({
      identityHeaders: new Set(),
      nvrSecret: undefined,
      cookieName: RULES.cookieName,
    }),
    refusals: {
      loginPath: '/login',
      renderPage: ({ reason }) => ({ headers: { 'content-type': 'text/html' }, body: REFUSALS[reason].message }),
    },
    forwarder,
    clientLimits,
    upstreamSlots,
    openStreams: { add: more.holdStream ?? (() => () => {}), addSocket: () => () => {} },
    onCaller: () => {},
    enter: async () => undefined,
    ownRoutes: [],
    renewal: () => undefined,
    refresh: () => undefined,
    recheck: async (caller) => caller,
    pushHosts: [],
    ask: async () => undefined,
    askText: async () => '',
    ownConfig: () => OWN_CONFIG,
    onConfigRead: () => {},
    relay: createMessageRelay({ ...RULES, ...rules }),
    passUpgrade: createUpgradeProxy({ ...RULES, ...rules }),
    unknownRoutes: createUnknownRoutes({ now: Date.now }),
    newRequestId: () => {
      requests += 1;
      return `request-${requests}`;
    },
    watch: watch ?? { onRequest: () => recorder },
    viewings: undefined,
    ...more.deps,
  });
  const { tls, timeoutHeaders = 15, timeoutStalled } = more;
  const gates = { internal: handlers, external: handlers };
  const serving = {
    generation: { gates, settings: { nvr: { timeout_idle: rules.timeoutIdle ?? RULES.timeoutIdle } } },
  };
  const listener = await listen({ host: '127.0.0.1', port: 0 }, 'internal', serving, {
    timeoutHeaders,
    ...(timeoutStalled !== undefined && { timeoutStalled }),
    onConnectionRefused: (cause, peer, code) => void refusals.push([cause, peer, code ?? ''].join(' ').trim()),
    tls: tls && { certificates: tls, offersHttp2: true },
  });
  return {
    port: listener.address.port,
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${listener.address.port}`,
    ends,
    failures,
    faults,
    refusals,
    placesInUse: () => ({ client: clientLimits.taken(), ...upstreamSlots.inUse() }),
    listener,
    async close() {
      await listener.close(0);
      forwarder.close();
    },
  };
}

/** The upstream of a `http://host:port` URL. */
export function upstreamAt(url: string): Upstream {
  const { hostname, port } = new URL(url);
  return { kind: 'tcp', protocol: 'http:', host: hostname, port: Number(port) };
}
