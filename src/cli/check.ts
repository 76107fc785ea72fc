/** `postern check`: reads the configuration as `serve` would, prints every problem with its key and line (SPEC 1). */
import { dirname, resolve } from 'node:path';
import { formatProblem } from '../config/problems.ts';
import { loadServiceConfig } from '../config/service-config.ts';

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
  const config = await loadServiceConfig({ directory, env, whenMissing: 'read' });
  if (config.kind === 'invalid') {
    const { file, problems } = config;
    for (const problem of problems) stderr.write(`${formatProblem(file, problem)}\n`);
    stderr.write(`${file}: ${problems.length === 1 ? '1 problem' : `${problems.length} problems`}\n`);
    return 1;
  }
  for (const warning of config.warnings) stdout.write(`warning: ${warning}\n`);
  const isElsewhere = dirname(config.file) !== resolve(directory);
  stdout.write(`${config.file}: no problems${isElsewhere ? `; the first start copies it into ${directory}` : ''}\n`);
  return 0;
}
