/** The scrape of a running service: its values are those of the active generation (SPEC 9). */
import type { Upstream } from '../domain/addresses/socket-address.ts';
import type { Scrape } from '../telemetry/scrape.ts';
import type { Generation } from './generation.ts';
import type { EventsBackend } from './resources/events.ts';
import type { Runtime } from './runtime.ts';
import { openScrape } from './telemetry/scrape.ts';

/** A scrape wakes no backend that nothing has needed. */
const awake = (backend: EventsBackend | undefined): Upstream | undefined =>
  backend?.isAwake() ? backend.upstream : undefined;

export const serviceScrape = (runtime: Runtime, active: () => Generation): Scrape => {
  const { certificates, accounts } = runtime;
  return openScrape({
    ...runtime,
    settings: () => active().settings,
    cameras: () => active().components.cameras.it.current() ?? [],
    eventsBackend: () => awake(active().components.events.it),
    certificate: () => certificates?.current().certificate,
    waitingPasswordChecks: () => active().accounts.hasher.waiting(),
    heldRevocations: runtime.store.heldRevocations,
    certificateProblem: () => certificates && (certificates.problem() ?? null),
    countDroppedLines: () => void runtime.health.log(),
    limiterEntries: { ip: accounts.limiter.size, apikey: accounts.tokenLimiter.size },
  });
};
