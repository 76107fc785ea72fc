/** What holds under one reading of the configuration: a reload makes the next one, and swaps them by reference (SPEC 1). */

import type { Settings } from '../config/schema.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import type { ListenerName } from '../domain/request.ts';
import type { Rules } from '../gateway/decision/admit.ts';
import { createGate, type Gate } from '../gateway/entry/gate.ts';
import type { Readiness } from '../telemetry/telemetry-server.ts';
import type { AccountsInForce } from './accounts/accounts-in-force.ts';
import { type Components, openComponents, replacedComponents } from './components.ts';
import { createAuthorizer } from './gate/authorizer.ts';
import { gateDeps } from './gate/gate.ts';
import type { Runtime } from './runtime.ts';
import { serviceStatus } from './telemetry/status.ts';
import { readinessOf } from './upstreams.ts';

/** A request goes its whole way through the one that it found: nothing in it changes with the next. */
export interface Generation {
  readonly config: ServiceConfig;
  readonly settings: Settings;
  readonly accounts: AccountsInForce;
  readonly parts: Components;
  readonly gates: Readonly<Record<ListenerName, Gate>>;
  /** For looking once more at what was let in before; nothing of it is counted. */
  readonly rules: () => Rules;
  readonly readiness: () => Promise<Readiness>;
}

/** Changes nothing that holds now. Rejects with a sentence, and nothing new open, when it could not hold. */
export async function openGeneration(
  config: ServiceConfig,
  runtime: Runtime,
  before?: Generation,
): Promise<Generation> {
  const parts = await openComponents(config.settings, runtime, before?.parts);
  try {
    return generationUnder(config, runtime, parts);
  } catch (fault) {
    for (const { close } of replacedComponents(parts, before?.parts)) await close();
    throw fault;
  }
}

function generationUnder(config: ServiceConfig, runtime: Runtime, parts: Components): Generation {
  const { settings } = config;
  const accounts = runtime.accounts.under(settings);
  const readiness = readinessOf(settings, runtime.store, parts.events.it);
  const status = serviceStatus(settings, runtime, readiness);
  const authorizer = createAuthorizer({ config, runtime, accounts, parts });
  const gate = gateDeps({ config, runtime, accounts, parts, status }, authorizer);
  const gates = { external: createGate('external', gate), internal: createGate('internal', gate) };
  return { config, settings, accounts, parts, gates, rules: authorizer.uncounted, readiness };
}

/** A door that stays while what is behind it is exchanged. */
export const currentGate = (name: ListenerName, inForce: () => Generation): Gate => ({
  onRequest: (request, response) => inForce().gates[name].onRequest(request, response),
  onCheckContinue: (request, response) => inForce().gates[name].onCheckContinue(request, response),
  onUpgrade: (request, socket, head) => inForce().gates[name].onUpgrade(request, socket, head),
});
