/** What holds under one reading of the configuration: a reload makes the next one, and swaps them by reference (SPEC 1). */

import type { Settings } from '../config/schema.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import type { ListenerName } from '../domain/request.ts';
import type { Rules } from '../gateway/decision/admit.ts';
import { createGate, type Gate } from '../gateway/entry/gate.ts';
import type { Readiness } from '../telemetry/telemetry-server.ts';
import type { AccountsInForce } from './accounts/accounts-in-force.ts';
import { openParts, type Parts, replacedParts } from './components.ts';
import { createJudging } from './gate/authorizer.ts';
import { gateParts } from './gate/gate.ts';
import type { House } from './runtime.ts';
import { serviceStatus } from './telemetry/status.ts';
import { readinessOf } from './upstreams.ts';

/** A request goes its whole way through the one that it found: nothing in it changes with the next. */
export interface Edition {
  readonly config: ServiceConfig;
  readonly settings: Settings;
  readonly accounts: AccountsInForce;
  readonly parts: Parts;
  readonly gates: Readonly<Record<ListenerName, Gate>>;
  /** For looking once more at what was let in before; nothing of it is counted. */
  readonly rules: () => Rules;
  readonly readiness: () => Promise<Readiness>;
}

/** Changes nothing that holds now. Rejects with a sentence, and nothing new open, when it could not hold. */
export async function openEdition(config: ServiceConfig, house: House, before?: Edition): Promise<Edition> {
  const parts = await openParts(config.settings, house, before?.parts);
  try {
    return editionOf(config, house, parts);
  } catch (fault) {
    for (const { close } of replacedParts(parts, before?.parts)) await close();
    throw fault;
  }
}

function editionOf(config: ServiceConfig, house: House, parts: Parts): Edition {
  const { settings } = config;
  const accounts = house.accounts.under(settings);
  const readiness = readinessOf(settings, house.store, parts.events.it);
  const status = serviceStatus(settings, house, readiness);
  const judging = createJudging({ config, house, accounts, parts });
  const gate = gateParts({ config, house, accounts, parts, status }, judging);
  const gates = { external: createGate('external', gate), internal: createGate('internal', gate) };
  return { config, settings, accounts, parts, gates, rules: judging.uncounted, readiness };
}

/** A door that stays while what is behind it is exchanged. */
export const standingGate = (name: ListenerName, inForce: () => Edition): Gate => ({
  onRequest: (request, response) => inForce().gates[name].onRequest(request, response),
  onCheckContinue: (request, response) => inForce().gates[name].onCheckContinue(request, response),
  onUpgrade: (request, socket, head) => inForce().gates[name].onUpgrade(request, socket, head),
});
