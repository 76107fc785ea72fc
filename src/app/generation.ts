/** What holds under one configuration: a reload makes the next generation and swaps the reference (SPEC 1). */
import type { HouseSettings } from '../accounts/settings/house-settings.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import type { Caller } from '../domain/caller.ts';
import { actualSender, credentialName } from '../domain/credentials.ts';
import { type ListenerName, singleHeader } from '../domain/request.ts';
import type { ActiveFeature } from '../features/feature.ts';
import { createAuthorizer } from '../gateway/authorizer.ts';
import { createHandlers, type Handlers } from '../gateway/entry/app.ts';
import { partsUnder, serviceStatus } from '../gateway/readiness.ts';
import { readinessOf } from '../telemetry/readiness.ts';
import { createGate, servicesUnder } from './gate.ts';
import { type Components, openComponents, replacedComponents } from './resources/components.ts';
import type { Runtime } from './runtime.ts';

/** A request stays with the generation that it found: nothing in it changes with the next. */
export type Generation = ReturnType<typeof generationUnder>;

/** What a generation is made from beside its configuration. */
export interface GenerationDeps {
  readonly runtime: Runtime;
  readonly warnings: () => readonly string[];
  readonly house: HouseSettings;
}

/** Changes nothing that holds now. Rejects with a sentence, and nothing new open, when it could not hold. */
export async function openGeneration(
  config: ServiceConfig,
  deps: GenerationDeps,
  before?: Generation,
): Promise<Generation> {
  const { accounts, counters } = deps.runtime;
  const { roleRegistry, publishCameras } = accounts;
  const around = { ...deps.runtime, roles: roleRegistry.current, publishCameras, metrics: counters.metrics };
  const components = await openComponents(config, around, before?.components);
  try {
    return generationUnder(config, deps, components);
  } catch (fault) {
    for (const { close } of replacedComponents(components, before?.components)) await close();
    throw fault;
  }
}

function generationUnder(config: ServiceConfig, { runtime, warnings, house }: GenerationDeps, components: Components) {
  const { settings } = config;
  const { clock, counters } = runtime;
  const accounts = runtime.accounts.under(settings);
  const authorizer = createAuthorizer(
    config,
    accounts,
    { eventsBackend: components.events.it?.upstream, layout: components.cameras.it.layout },
    runtime,
  );
  const hasProxyKeys = !settings.auth.enabled && settings.proxy.jwt;
  const providers = [
    ...accounts.providers.list,
    ...(hasProxyKeys ? [{ name: 'proxy.jwt', fault: authorizer.proxyKeysFault }] : []),
  ];
  const { events, cameras } = components;
  const parts = {
    ...runtime.parts,
    ...partsUnder(config, events.it, cameras.it.fault, providers, counters.metrics),
  };
  const readiness = () => readinessOf(parts);
  const status = serviceStatus(config, readiness, warnings, accounts, runtime);
  const services = servicesUnder(config, accounts, authorizer, components, runtime, {
    status,
    house,
    features: () => features,
  });
  const features: readonly ActiveFeature[] = runtime.features.under({
    config,
    services,
    layout: cameras.it.layout,
    camerasOf: authorizer.camerasOf,
    destinations: authorizer.destinations,
    rules: authorizer.uncounted,
    faults: () => runtime.features.faults(settings, clock),
  });
  const gate = createGate(services, authorizer, components, features, {
    ...runtime,
    watch: counters.watch,
    onCaller(caller, { address }, request) {
      const sender = actualSender(caller);
      accounts.seenSessions.note(sender, { address, agent: singleHeader(request, 'user-agent') });
      if (sender !== caller) runtime.features.note(viewedAs(sender, caller, address));
    },
  });
  const gates = { external: createHandlers('external', gate), internal: createHandlers('internal', gate) };
  /** `rules`: for checking open streams again; nothing of it is counted. */
  return { config, settings, accounts, components, gates, rules: authorizer.uncounted, parts, readiness, status };
}

/** Noted with each request: those that follow each other are one record. */
const viewedAs = (sender: Caller, { name: user }: Caller, from: string) =>
  ({
    what: 'viewed-as',
    who: sender.name,
    from,
    credential: credentialName(sender.credential),
    verdict: 'allowed',
    user,
  }) as const;

/** A gate that stays while a reload exchanges what is behind it. */
export const currentGate = (name: ListenerName, active: () => Generation): Handlers => ({
  onRequest: (request, response) => active().gates[name].onRequest(request, response),
  onUpgrade: (request, socket, head) => active().gates[name].onUpgrade(request, socket, head),
});
