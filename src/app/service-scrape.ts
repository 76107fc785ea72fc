/** The scrape of a running service: what is told is that of the generation in force (SPEC 9). */
import type { Scrape } from '../telemetry/scrape.ts';
import type { Generation } from './generation.ts';
import type { Runtime } from './runtime.ts';
import { type OtherProcesses, openScrape } from './telemetry/scrape.ts';

export const serviceScrape = (runtime: Runtime, inForce: () => Generation, others?: OtherProcesses): Scrape => {
  const { certificates, accounts } = runtime;
  return openScrape({
    ...runtime,
    settings: () => inForce().settings,
    cameras: () => inForce().components.cameras.it.current() ?? [],
    eventsBackend: () => inForce().components.events.it?.upstream,
    certificate: () => certificates?.current().certificate,
    waitingPasswordChecks: () => inForce().accounts.routeDeps.hasher.waiting(),
    heldRevocations: runtime.store.heldRevocations,
    certificateProblem: () => certificates && (certificates.problem() ?? null),
    countDroppedLines: () => void runtime.health.log(),
    limiterEntries: { ip: accounts.limiter.size, apikey: accounts.tokenLimiter.size },
    ...(others && { others }),
  });
};
