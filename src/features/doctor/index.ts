/** Doctor: what is wrong between a browser and Postern, and behind it: a command, a check on the status page, warnings at the start (SPEC 15). */
import type { Logger } from 'pino';
import { AT_COMMAND_LINE, type Audit } from '../../accounts/audit.ts';
import { TOKEN_ROUTES } from '../../accounts/tokens/token-routes.ts';
import { formatProblem } from '../../config/problems/problems.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import { oneAtATime } from '../../domain/async.ts';
import { COMMAND_LINE_CALLER } from '../../domain/credentials.ts';
import { askerFor, bound } from '../../routes/own-route.ts';
import type { FeatureParts, FeatureServices, NetworkSurroundings, OpenFeature } from '../feature.ts';
import { CHECK_ROUTES } from './check-route.ts';
import { exposedSentence } from './inside.ts';
import { exposedPorts } from './ports.ts';
import { PROBE_ROUTES, probeRules } from './probe-routes.ts';

export const doctor: FeatureParts = { routes: [...PROBE_ROUTES, ...CHECK_ROUTES], open: openDoctor };

/** It names the owner of its token, as a command does, and needs no list. */
const BY_COMMAND = { caller: COMMAND_LINE_CALLER, from: AT_COMMAND_LINE };
const NO_USES = { flush: async () => {} };

function openDoctor({ store, clock, logs, surroundings }: FeatureServices): OpenFeature {
  const ports = createOpenPortWarnings(logs.named('service'), surroundings);
  const turns = oneAtATime(); // generations share them
  return {
    ...ports,
    under({ config: { settings, tableHead }, services, faults }) {
      const tokens = { ...services, asksProof: () => false, grantUses: NO_USES };
      const placeWith = (audit: Audit) => ({
        settings,
        tableHead,
        clock,
        asker: askerFor(bound(TOKEN_ROUTES, { ...tokens, audit }), BY_COMMAND),
        store,
        faults,
      });
      return {
        routes: [
          ...bound(PROBE_ROUTES, probeRules(settings, clock)),
          ...bound(CHECK_ROUTES, { ...services, placeWith, turns }),
        ],
      };
    },
  };
}

const CURE = 'publish no port of the NVR, or let a firewall keep other machines away';

/** Warns at the start when ports of the NVR answer where other machines may reach them, in the log and on the status page. */
function createOpenPortWarnings(log: Logger, surroundings?: () => Promise<NetworkSurroundings>) {
  const closing = new AbortController();
  let found: readonly string[] = [];
  const look = async ({ settings, tableHead, file, placed }: ServiceConfig): Promise<void> => {
    const around = { signal: closing.signal, ...(surroundings && { surroundings }) };
    const open = await exposedPorts({ settings, tableHead }, around);
    if (closing.signal.aborted) return;
    found = open.map((port) =>
      formatProblem(file, placed({ path: ['nvr', 'url'], message: `${exposedSentence(port)}; ${CURE}` })),
    );
    for (const warning of found) log.warn(warning);
  };
  return {
    /** Looks once, beside the start: nothing waits for it. */
    started: (config: ServiceConfig): void =>
      void look(config).catch((fault) =>
        log.warn({ err: fault }, 'open ports of the NVR could not be looked for: run "postern doctor"'),
      ),
    warnings: () => found,
    // Nothing waits for a name that is still being looked up: a stop must not take longer for it.
    close: () => closing.abort(),
  };
}
