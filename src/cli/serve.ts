/** `postern serve`: start, say where it listens, and stop in good order when told to (SPEC 1). */
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { startPostern } from '../app.ts';
import { loadConfig } from '../config/load-config.ts';
import { formatProblem } from '../config/problems.ts';
import { announcement } from './announcement.ts';
import { openLogDestination } from './log-destination.ts';
import { stopSignal } from './stop-signal.ts';
import { VERSION } from './version.ts';

export interface ServePlace {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Writable & { isTTY?: boolean };
  readonly stderr: Writable;
}

/** Resolves with the exit code, once stopped by SIGTERM or SIGINT or when it cannot start. */
export async function runServe({ directory, env, stdout, stderr }: ServePlace): Promise<number> {
  const config = await loadConfig({ directory, env });
  if (config.kind === 'invalid') {
    for (const problem of config.problems) stderr.write(`${formatProblem(config.file, problem)}\n`);
    stderr.write(
      `Postern did not start: ${config.problems.length === 1 ? 'this' : 'these'} must be put right first.\n`,
    );
    return 1;
  }
  if (config.created) stdout.write(`No configuration was there: one to begin with is now in ${config.file}.\n`);
  const { settings } = config;
  const warnings = config.warnings.map((problem) => formatProblem(config.file, problem));
  const stopped = stopSignal(); // from here on: a signal during the start is not lost
  const clock = { now: () => Date.now() };
  const log = openLogDestination(stdout);
  try {
    const postern = await startPostern({
      settings,
      warnings,
      directory: resolve(directory),
      env,
      clock,
      log,
      version: VERSION,
    });
    log.flush();
    stdout.write(announcement(postern, settings, stdout.isTTY === true));
    await stopped;
    await postern.close();
    log.flush();
    return 0;
  } catch (fault) {
    stderr.write(`Postern did not start: ${sentenceOf(fault)}\n`);
    return 1;
  }
}

const sentenceOf = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault));
