/** `postern check`: reads the configuration as `serve` would, prints every problem with its key and line (SPEC 1). */
import { dirname, resolve } from 'node:path';
import { type ConfigOutcome, loadConfig } from '../config/load-config.ts';
import { loadPolicy } from '../config/load-policy.ts';
import { formatProblem, type Problem } from '../config/problems.ts';

export interface CheckOptions {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Printer;
  readonly stderr: Printer;
}

interface Printer {
  write(text: string): unknown;
}

/** Gives the exit code: 0 when there is no problem, else 1. Writes no file. */
export async function runCheck({ directory, env, stdout, stderr }: CheckOptions): Promise<number> {
  const config = await loadConfig({ directory, env, whenMissing: 'read' });
  const problems = config.kind === 'invalid' ? config.problems : await policyProblems(config, directory);
  if (config.kind === 'invalid' || problems.length > 0) {
    for (const problem of problems) stderr.write(`${formatProblem(config.file, problem)}\n`);
    stderr.write(`${config.file}: ${problems.length === 1 ? '1 problem' : `${problems.length} problems`}\n`);
    return 1;
  }
  for (const warning of config.warnings) stdout.write(`warning: ${formatProblem(config.file, warning)}\n`);
  const isElsewhere = dirname(config.file) !== resolve(directory);
  stdout.write(`${config.file}: no problems${isElsewhere ? `; the first start copies it into ${directory}` : ''}\n`);
  return 0;
}

async function policyProblems(
  config: ConfigOutcome & { kind: 'loaded' },
  directory: string,
): Promise<readonly Problem[]> {
  const policy = await loadPolicy(config.settings.nvr.policy, directory);
  return policy.kind === 'invalid' ? policy.problems : [];
}
