/** `postern check`: reads the configuration and what it names as `serve` would, and prints every problem with its line (SPEC 1). */
import { dirname, resolve } from 'node:path';
import { certificateWarning } from '../../app/commands/certificate-warning.ts';
import type { checkSites } from '../../app/commands/check-sites.ts';
import { checkTrustedHeaders } from '../../app/resources/trusted-headers.ts';
import { missingTlsFiles } from '../../config/missing-tls-files.ts';
import { openSecrets } from '../../config/open-secrets.ts';
import { formatProblem } from '../../config/problems/problems.ts';
import { loadServiceConfig } from '../../config/service-config.ts';

export interface CheckOptions {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Printer;
  readonly stderr: Printer;
  /** The allowlist file, where it is not in the interface's place (5.5.7). */
  readonly trustedHeadersFile?: string;
}

interface Printer {
  write(text: string): unknown;
}

/** Gives the exit code: 0 when there is no problem, else 1. Writes no file. */
export async function runCheck({ directory, env, stdout, stderr, trustedHeadersFile }: CheckOptions): Promise<number> {
  const config = await loadServiceConfig({ directory, env, whenMissing: 'read' });
  const headers = await checkTrustedHeaders(trustedHeadersFile);
  const { file } = config;
  const problems = config.kind === 'invalid' ? config.problems.map((problem) => formatProblem(file, problem)) : [];
  if (!headers.ok) problems.push(headers.error);
  const missing = config.kind === 'loaded' ? await missingTlsFiles(config) : [];
  problems.push(...missing.map((problem) => formatProblem(file, problem)));
  const ended = config.kind === 'loaded' ? await certificateWarning(config, Date.now()) : [];
  const sites =
    config.kind === 'loaded' && config.settings.server.site ? await sitesFound(config, { directory, env }) : undefined;
  problems.push(...(sites?.problems ?? []));
  const warnings = [
    ...(config.warnings ?? []),
    ...ended.map((problem) => formatProblem(file, problem)),
    ...(sites?.warnings ?? []),
  ];
  if (config.kind === 'loaded' && headers.ok)
    warnings.push(...headers.value(config.settings).map((finding) => formatProblem(file, config.placed(finding))));
  if (config.kind === 'loaded')
    for (const finding of await openSecrets(config, directory))
      warnings.push(formatProblem(file, config.placed(finding)));
  for (const warning of warnings) stdout.write(`warning: ${warning}\n`);
  if (problems.length > 0) {
    for (const problem of problems) stderr.write(`${problem}\n`);
    stderr.write(`${file}: ${problems.length === 1 ? '1 problem' : `${problems.length} problems`}\n`);
    return 1;
  }
  const isElsewhere = dirname(file) !== resolve(directory);
  stdout.write(`${file}: no problems${isElsewhere ? `; the first start copies it into ${directory}` : ''}\n`);
  return 0;
}

/** Loaded where there are several sites: it needs the store, and most checks do not. */
const sitesFound: typeof checkSites = async (...given) =>
  (await import('../../app/commands/check-sites.ts')).checkSites(...given);
