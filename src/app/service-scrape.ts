/** The scrape of a running service: what is told is that of the generation in force (SPEC 9). */
import type { Upstream } from '../domain/addresses/socket-address.ts';
import type { Scrape } from '../telemetry/scrape.ts';
import type { Generation } from './generation.ts';
import type { EventsBackend } from './resources/events.ts';
import type { Runtime } from './runtime.ts';
import { openScrape } from './telemetry/scrape.ts';

/** A scrape wakes no backend that nothing has needed. */
const awake = (backend: EventsBackend | undefined): Upstream | undefined =>
  backend?.isAwake() ? backend.upstream : undefined;

export const serviceScrape = (runtime: Runtime, inForce: () => Generation): Scrape => {
  const { certificates, accounts } = runtime;
  return openScrape({
    ...runtime,
    settings: () => inForce().settings,
    cameras: () => inForce().components.cameras.it.current() ?? [],
    eventsBackend: () => awake(inForce().components.events.it),
    certificate: () => certificates?.current().certificate,
    waitingPasswordChecks: () => inForce().accounts.routeDeps.hasher.waiting(),
    heldRevocations: runtime.store.heldRevocations,
    certificateProblem: () => certificates && (certificates.problem() ?? null),
    countDroppedLines: () => void runtime.health.log(),
    limiterEntries: { ip: accounts.limiter.size, apikey: accounts.tokenLimiter.size },
  });
};
