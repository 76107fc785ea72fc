/** Warns at the start when ports of the NVR answer where other machines may reach them, in the log and on the status page. */
import type { Logger } from 'pino';
import { formatProblem } from '../../config/problems/problems.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import { exposedSentence } from '../../doctor/causes/inside.ts';
import { exposedPorts } from './exposed-ports.ts';
import type { Surroundings } from './outside-addresses.ts';

export interface OpenPortWarnings {
  /** Looks once, beside the start: nothing waits for it. */
  look(config: ServiceConfig, log: Logger): void;
  /** A sentence each. */
  warnings(): readonly string[];
  close(): void;
}

const CURE =
  'publish no port of the NVR, or set nvr.warn_open_ports to false where a firewall keeps other machines away';

export function createOpenPortWarnings(surroundings?: () => Promise<Surroundings>): OpenPortWarnings {
  const closing = new AbortController();
  let found: readonly string[] = [];
  const run = async ({ settings, file, placed }: ServiceConfig, log: Logger): Promise<void> => {
    const open = await exposedPorts(settings, { signal: closing.signal, ...(surroundings && { surroundings }) });
    if (closing.signal.aborted) return;
    found = open.map((port) =>
      formatProblem(file, placed({ path: ['nvr', 'url'], message: `${exposedSentence(port)}; ${CURE}` })),
    );
    for (const warning of found) log.warn(warning);
  };
  return {
    look(config, log) {
      run(config, log).catch((fault) =>
        log.warn({ err: fault }, 'open ports of the NVR could not be looked for: run "postern doctor"'),
      );
    },
    warnings: () => found,
    // Nothing waits for a name that is still being looked up: a stop must not take longer for it.
    close: () => closing.abort(),
  };
}
