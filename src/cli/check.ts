/** `postern check`: reads the configuration and what it names as `serve` would, and prints every problem with its line (SPEC 1). */
import { dirname, resolve } from 'node:path';
import type { startFindings } from '../app/commands/check-start.ts';
import type { CommandPlace } from '../config/load-config.ts';
import { missingTlsFiles, openSecrets } from '../config/named-files.ts';
import { type Finding, formatProblem } from '../config/problems/problems.ts';
import { loadServiceConfig, type ServiceConfig, type ServiceConfigOutcome } from '../config/service-config.ts';
import type { StoredSettings } from '../domain/stored-settings.ts';
import { checkTrustedHeaders } from '../identity/trusted-headers.ts';
import { isAlive } from './healthcheck.ts';

type CheckPlace = Pick<CommandPlace, 'directory' | 'env' | 'schema' | 'trustedHeadersFile'>;

type CheckOptions = CheckPlace & Record<'stdout' | 'stderr', { write(text: string): unknown }>;

/** Gives the exit code: 0 when there is no problem, else 1. Writes no file. */
export async function runCheck({ stdout, stderr, ...place }: CheckOptions): Promise<number> {
  const { file, problems, warnings } = await checkedAt(place);
  for (const warning of warnings) stdout.write(`warning: ${warning}\n`);
  if (problems.length > 0) {
    for (const problem of problems) stderr.write(`${problem}\n`);
    stderr.write(`${file}: ${problems.length === 1 ? '1 problem' : `${problems.length} problems`}\n`);
    return 1;
  }
  const isElsewhere = dirname(file) !== resolve(place.directory);
  stdout.write(`${file}: no problems${isElsewhere ? `; the first start copies it into ${place.directory}` : ''}\n`);
  return 0;
}

/** Sentences. */
export interface Checked {
  readonly file: string;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

export async function checkedAt(place: CheckPlace): Promise<Checked> {
  const { directory } = place;
  const config = await wholeConfig(place);
  const headers = await checkTrustedHeaders(place.trustedHeadersFile);
  const { file } = config;
  const listProblems = headers.ok ? [] : [headers.error];
  if (config.kind === 'invalid') {
    const problems = config.problems.map((problem) => formatProblem(file, problem));
    return { file, problems: [...problems, ...listProblems], warnings: config.warnings ?? [] };
  }
  const said = (finding: Finding): string => formatProblem(file, config.placed(finding));
  const missing = (await missingTlsFiles(config)).map((problem) => formatProblem(file, problem));
  const start = await found(config, place);
  const mapped = headers.ok ? headers.value(config.settings) : [];
  const open = await openSecrets(config.settings, config.namedFiles, config.schema.keys, directory);
  return {
    file,
    problems: [...listProblems, ...missing, ...mapped.filter(({ isFatal }) => isFatal).map(said), ...start.problems],
    warnings: [
      ...config.warnings,
      ...start.warnings,
      ...[...mapped.filter(({ isFatal }) => !isFatal), ...open].map(said),
    ],
  };
}

/** The configuration with what the page Security keeps in the store, where there is one. */
async function wholeConfig({ directory, env, schema }: CheckPlace): Promise<ServiceConfigOutcome> {
  const read = (stored?: StoredSettings) => loadServiceConfig({ directory, env, schema, whenMissing: 'read', stored });
  const config = await read();
  const settings = config.kind === 'loaded' ? config.settings : config.readable;
  const { storedSettings } = await import('../app/commands/read-only.ts');
  const stored = settings && (await storedSettings(settings));
  return stored ? read(stored) : config;
}

/** Loaded here alone: it needs the service's own modules, and a configuration that cannot be read needs none. */
const found = async (config: ServiceConfig, { directory, env }: CheckPlace): ReturnType<typeof startFindings> =>
  (await import('../app/commands/check-start.ts')).startFindings(config, {
    directory: resolve(directory),
    env,
    isRunning: isAlive,
  });
