/** Reports a reload: in the log, in metrics, and on the status page (SPEC 1, 8, 9). */
import { isDeepStrictEqual } from 'node:util';
import { formatProblem } from '../config/problems/problems.ts';
import type { Renewal } from '../config/rules.ts';
import type { InvalidConfig, ServiceConfig } from '../config/service-config.ts';
import type { Generation } from './generation.ts';
import type { Runtime } from './runtime.ts';

export interface ReloadReport {
  /** Notes the state of the start. Call it once. */
  started(generation: Generation, runtime: Runtime): void;
  taken(next: Generation, before: Generation, renewal: Renewal, runtime: Runtime): void;
  rejected(config: Omit<InvalidConfig, 'kind'>, runtime: Runtime): void;
  /** Warnings of the active configuration, keys that wait for a restart, and why the last reload was rejected: a sentence each. */
  warnings(): readonly string[];
}

const NOT_TAKEN = 'configuration not reloaded, the previous one stays active: correct the file';
const TAKEN = 'configuration reloaded';
const AFTER_RESTART = 'was changed: restart to apply it';
const HELD =
  'was changed or removed, which would allow more than before, so the previous value stays active: restart to apply the change, write the key with the value that you want, or undo it';

/** `more`: warnings of other parts, a sentence each. */
export function createReloadReport(more: () => readonly string[]): ReloadReport {
  let notTaken: readonly string[] = [];
  let waiting: readonly string[] = [];
  let ofGeneration = (): readonly string[] => [];
  const warnings = (): readonly string[] => [...notTaken, ...waiting, ...ofGeneration(), ...more()];
  const announce = ({ config }: Generation, runtime: Runtime): void => {
    ofGeneration = () => [...config.warnings, ...runtime.trustedHeaders.warnings(config)];
    for (const warning of warnings()) runtime.log.warn(warning);
    runtime.counters.metrics.reloadSuccessful.set(1);
  };
  return {
    warnings,
    started: announce,
    taken(next, before, renewal, runtime) {
      const { config } = next;
      notTaken = [];
      waiting = [
        ...renewal.waiting.map((key) => waitingFor(key, renewal, config)),
        ...renewal.warnings.map((finding) => formatProblem(config.file, config.placed(finding))),
      ];
      runtime.log.info({ file: config.file, changed: changedKeys(renewal, before, next) }, TAKEN);
      announce(next, runtime);
    },
    rejected({ file, problems }, { log, counters: { metrics } }) {
      const sentences = problems.map((problem) => formatProblem(file, problem));
      notTaken = [`${file}: ${NOT_TAKEN}`, ...sentences];
      for (const [at, { path, line }] of problems.entries()) log.error({ key: path || undefined, line }, sentences[at]);
      log.error({ file, problems: problems.length }, NOT_TAKEN);
      metrics.reloadSuccessful.set(0);
    },
  };
}

const waitingFor = (key: string, { held }: Renewal, { file, placed }: ServiceConfig): string =>
  formatProblem(file, placed({ path: key.split('.'), message: held.includes(key) ? HELD : AFTER_RESTART }));

/** `nvr.policy` may be the same while the file that it names has changed. */
function changedKeys({ changed }: Renewal, before: Generation, next: Generation): readonly string[] {
  const isSameTable = isDeepStrictEqual(before.config.policy, next.config.policy);
  return isSameTable ? changed : [...new Set([...changed, 'nvr.policy'])];
}
