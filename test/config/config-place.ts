/** A configuration directory of its own for a test, gone with it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configSchema } from '../../src/app/resources/features.ts';
import { type ConfigOutcome, type ConfigPlace, loadConfig } from '../../src/config/load-config.ts';
import { formatProblem } from '../../src/config/problems/problems.ts';
import type { Settings } from '../../src/config/schema/schema.ts';

/** Files by name, in a new directory that `work` gets. */
export async function withDirectory<Outcome>(
  files: Readonly<Record<string, string>>,
  work: (directory: string) => Promise<Outcome>,
): Promise<Outcome> {
  const directory = await mkdtemp(join(tmpdir(), 'postern-config-'));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

type Rest = Partial<Pick<ConfigPlace, 'env' | 'stored'>>;

export const load = (yaml: string, rest: Rest = {}): Promise<ConfigOutcome> =>
  withDirectory({ 'config.yaml': yaml }, (directory) =>
    loadConfig({ directory, schema: configSchema, env: {}, ...rest }),
  );

/** The problems as an operator reads them; none when it loads. */
export async function problemsOf(yaml: string, rest: Rest = {}): Promise<readonly string[]> {
  const outcome = await load(yaml, rest);
  return outcome.kind === 'invalid' ? outcome.problems.map((problem) => formatProblem('config.yaml', problem)) : [];
}

export async function settingsOf(yaml: string, rest: Rest = {}): Promise<Settings> {
  const outcome = await load(yaml, rest);
  if (outcome.kind === 'loaded') return outcome.settings;
  throw new Error(outcome.problems.map((problem) => formatProblem('config.yaml', problem)).join('\n'));
}

export async function warningsFor(yaml: string, rest: Rest = {}): Promise<readonly string[]> {
  const outcome = await load(yaml, rest);
  const found = outcome.kind === 'loaded' ? outcome.warnings : [{ path: '', message: 'does not load' }];
  return found.map((warning) => formatProblem('config.yaml', warning));
}
