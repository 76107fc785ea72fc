/** The canary's gate of a configuration, without listeners and without a running service. */
import { randomUUID } from 'node:crypto';
import type { RecorderLayout } from '../../../src/access/recorder-layout.ts';
import type { createRoleRegistry } from '../../../src/accounts/roles/role-registry.ts';
import { ownConfigOf } from '../../../src/app/gate/gate.ts';
import { decisionRules, destinationRules, headerRules, ownerLookup, routeTable } from '../../../src/app/gate/rules.ts';
import { steadyNow } from '../../../src/app/resources/steady-clock.ts';
import { TRUSTED_HEADERS_FILES } from '../../../src/app/resources/trusted-headers.ts';
import { askerOf, forwardRulesOf, questionFor } from '../../../src/app/resources/upstreams.ts';
import type { ServiceConfig } from '../../../src/config/service-config.ts';
import type { Caller } from '../../../src/domain/caller.ts';
import type { GateDeps } from '../../../src/gateway/entry/gate-deps.ts';
import { createUpstreamSlots } from '../../../src/gateway/entry/upstream-slots.ts';
import { askText } from '../../../src/gateway/forward/ask-upstream.ts';
import { createForwarder } from '../../../src/gateway/forward/forward.ts';
import { createNvrCounts } from '../../../src/gateway/narrow/count-at-nvr.ts';
import { readTrustedHeaders } from '../../../src/identity/trusted-headers-file.ts';

/** The socket of the events backend is the running server's own. */
const NOT_RUNNING = { kind: 'unix', path: 'events.sock' } as const;

interface Surroundings {
  readonly layout: RecorderLayout | undefined;
  readonly registry: ReturnType<typeof createRoleRegistry>;
  readonly now: () => number;
}

/** Decision, narrowing and forwarding are those of the service. Of accounts there is nothing: the canary is no account. */
export async function canaryGate(config: ServiceConfig, { layout, registry, now }: Surroundings) {
  const list = await readTrustedHeaders(TRUSTED_HEADERS_FILES);
  if (!list.ok) throw new Error(list.error);
  const { settings } = config;
  const routes = routeTable(config);
  const backend = settings.events.source === 'nvr' ? undefined : NOT_RUNNING;
  const destinations = destinationRules(settings, backend, routes.nvr.events);
  const rules = decisionRules({
    settings,
    routes,
    destinations,
    allowlist: list.value.names,
    verifySession: () => ({ kind: 'invalid', reason: 'user-gone' }),
    verifyApiToken: () => ({ kind: 'invalid', reason: 'unknown' }),
    verifyLink: () => ({ kind: 'invalid', reason: 'unknown' }),
    verifyScreen: async () => ({ kind: 'invalid', reason: 'unknown' }),
    sharedBy: () => undefined,
    behindCurtain: (caller) => caller,
    roleRegistry: registry,
    now,
    layout: () => layout,
    owners: ownerLookup(destinations, askerOf(settings), routes.nvr),
  });
  const headers = headerRules(settings, {}, list.value.names);
  const forwarder = createForwarder(await forwardRulesOf(settings));
  // The canary's doors put their own watch in.
  const gate: Omit<GateDeps, 'watch'> = {
    ...NO_CLIENTS,
    rules: () => rules,
    headers: () => headers,
    destinations: () => destinations,
    forwarder,
    obligationDeps: {
      pushHosts: settings.nvr.push_endpoints,
      ask: askerOf(settings),
      countAtNvr: createNvrCounts({ now: steadyNow, startedAt: now() }),
      askText: async (upstream, path) => askText(await questionFor(settings, upstream, path)),
      ownConfig: async () => ownConfigOf(settings, await registry.current(), layout?.cameras ?? []),
      onConfigRead() {},
    },
    newRequestId: randomUUID,
  };
  return { gate, close: () => forwarder.close() };
}

/** What a gate does for clients: the canary has none of it. */
const NO_CLIENTS = {
  refusals: () => ({ loginPath: undefined, renderPage: () => ({ headers: {}, body: '' }) }),
  ownRoutes: [],
  renewal: () => undefined,
  refresh: () => undefined,
  recheck: async (caller: Caller) => caller,
  relay() {},
  clientLimits: { enter: () => () => {}, size: () => 0 },
  upstreamSlots: createUpstreamSlots(),
  openStreams: { add: () => () => {}, addSocket: () => () => {} },
  enterLink: async () => undefined,
  onCaller() {},
  unknownRoutes: { note() {}, list: () => [] },
  viewings: undefined,
} as const;
