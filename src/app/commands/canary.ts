/** A round of the canary by hand: the gate of this configuration, without listeners and without the running service (SPEC 15). */
import { randomUUID } from 'node:crypto';
import Router from 'koa-router';
import type { RecorderLayout } from '../../access/recorder-layout.ts';
import { createRoleRegistry } from '../../accounts/roles/role-registry.ts';
import { paced } from '../../canary/paced.ts';
import { type Round, runRound } from '../../canary/round.ts';
import { formatProblem } from '../../config/problems/problems.ts';
import { rolesOfFile } from '../../config/schema/role-schema.ts';
import { loadServiceConfig, type ServiceConfig } from '../../config/service-config.ts';
import type { Caller } from '../../domain/caller.ts';
import { unixSeconds } from '../../domain/clock.ts';
import type { PolicyRow } from '../../domain/policy.ts';
import type { RouteState } from '../../domain/verdict.ts';
import { destinationOf } from '../../gateway/decision/destinations.ts';
import type { GateDeps } from '../../gateway/entry/gate-deps.ts';
import { createUpstreamPlaces } from '../../gateway/entry/upstream-places.ts';
import { askText } from '../../gateway/forward/ask-upstream.ts';
import { createForwarder } from '../../gateway/forward/forward.ts';
import { createNvrCounts } from '../../gateway/narrow/count-at-nvr.ts';
import { readTrustedHeaders } from '../../identity/trusted-headers-file.ts';
import { canaryAsk } from '../gate/canary-gate.ts';
import { ownConfigOf } from '../gate/gate.ts';
import { decisionRules, destinationRules, headerRules, ownerLookup, routeTable } from '../gate/rules.ts';
import { ticks } from '../resources/ticks.ts';
import { TRUSTED_HEADERS_FILES } from '../resources/trusted-headers.ts';
import { askerOf, forwardRulesOf, questionFor } from '../resources/upstreams.ts';
import type { CommandPlace } from './commands.ts';
import { layoutOf, storeBeside } from './explain.ts';

export type { Round };

export interface CanaryCommand {
  /** Changes nothing, here and at the NVR. `share`: the part of the time in which a question may be under way, up to 1. */
  round(share: number): Promise<CanaryReport>;
  /** Ends a round that is under way, which rejects then. */
  close(): Promise<void>;
}

export interface CanaryReport {
  readonly round: Round;
  /** Routes that only the running service can be asked: Postern's own events backend answers them. */
  readonly left: readonly string[];
}

/** Rejects with a sentence when the server could not start either, or has no NVR. */
export async function openForCanary(place: CommandPlace, note: (sentence: string) => void): Promise<CanaryCommand> {
  const config = await loadServiceConfig({ ...place, whenMissing: 'read' });
  if (config.kind === 'invalid')
    throw new Error(config.problems.map((problem) => formatProblem(config.file, problem)).join('\n'));
  const { settings, policy } = config;
  const { url } = settings.nvr;
  if (!url) throw new Error('nvr.url is not set: the canary asks an NVR');
  const store = await storeBeside(settings);
  const layout = await layoutOf(settings, store, note);
  const registry = createRoleRegistry({
    store: store?.roles ?? { listRoles: async () => [] },
    fixed: rolesOfFile(settings.auth),
  });
  const { gate, close } = await canaryGate(config, { layout, registry, now: () => unixSeconds(place.clock) });
  const stop = new AbortController();
  const isOfBackend = ({ path }: PolicyRow): boolean =>
    destinationOf('GET', { path, segments: path.slice(1).split('/'), query: '' }, gate.destinations()).kind ===
    'events-backend';
  return {
    async round(share) {
      const [camera = ''] = layout?.cameras ?? [];
      const pace = { share, signal: stop.signal, isOver: () => false, ticks };
      const round = await runRound({
        ask: paced(canaryAsk({ gate, camera, signal: stop.signal }), pace),
        rows: policy.filter((row) => !isOfBackend(row)),
        layout,
        // Another foreign camera each time.
        number: Math.floor(unixSeconds(place.clock)),
        now: () => unixSeconds(place.clock),
        openApi: () => askerOf(settings)(url, '/api/openapi.json'),
      });
      return {
        round,
        left: policy
          .filter(isOfBackend)
          .filter(({ methods }) => methods.includes('GET'))
          .map(({ path }) => `GET ${path}`),
      };
    },
    async close() {
      stop.abort();
      await close();
      await store?.close();
    },
  };
}

/** The socket of the events backend is the running server's own. */
const NOT_RUNNING = { kind: 'unix', path: 'events.sock' } as const;

interface Surroundings {
  readonly layout: RecorderLayout | undefined;
  readonly registry: ReturnType<typeof createRoleRegistry>;
  readonly now: () => number;
}

/** Decision, narrowing and forwarding are those of the service. Of accounts there is nothing: the canary is no account. */
export async function canaryGate({ settings, policy }: ServiceConfig, { layout, registry, now }: Surroundings) {
  const list = await readTrustedHeaders(TRUSTED_HEADERS_FILES);
  if (!list.ok) throw new Error(list.error);
  const destinations = destinationRules(settings, settings.events.source === 'nvr' ? undefined : NOT_RUNNING);
  const rules = decisionRules({
    settings,
    routes: routeTable(policy, settings),
    destinations,
    allowlist: list.value.names,
    verifySession: () => ({ kind: 'invalid', reason: 'user-gone' }),
    verifyApiToken: () => ({ kind: 'invalid', reason: 'unknown' }),
    verifyLink: () => ({ kind: 'invalid', reason: 'unknown' }),
    sharedBy: () => undefined,
    roleRegistry: registry,
    now,
    layout: () => layout,
    owners: ownerLookup(destinations, askerOf(settings)),
  });
  const headers = headerRules(settings, list.value.names);
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
      countAtNvr: createNvrCounts({ now: ticks, startedAt: now() }),
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
  ownRoutes: new Router<RouteState>(),
  renewal: () => undefined,
  refresh: () => undefined,
  recheck: async (caller: Caller) => caller,
  relay() {},
  underWay: { enter: () => () => {}, size: () => 0 },
  places: createUpstreamPlaces(),
  openStreams: { add: () => () => {}, addSocket: () => () => {} },
  enterLink: async () => undefined,
  onCaller() {},
  unknownRoutes: { note() {}, list: () => [] },
  viewings: undefined,
} as const;
