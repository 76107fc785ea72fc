/** The command line, `postern <command>`: what there is, and how each command is told where the configuration is (SPEC 1). */
import { Command, Option } from 'commander';
import type { StoreUse } from '../../accounts/http/route-commands.ts';
import { nearest } from '../../config/problems/problems.ts';
import { FEATURES } from '../../features/all.ts';
import type { CommandFrame } from '../../features/feature.ts';
import { commandWords, defaultDirectory } from '../command-words.ts';
import { endQuietly, register } from '../frame.ts';
import { VERSION } from '../version.ts';
import { registerBackendCommand } from './backend.ts';
import { registerEventsCommands } from './events.ts';
import { registerExplainCommand } from './explain.ts';
import { LIMITS } from './limits.ts';
import { ROLES } from './roles.ts';
import { SITES } from './sites.ts';
import { registerStoreCommands } from './store.ts';
import { TOKENS } from './tokens.ts';
import { USERS } from './users.ts';

const { stdin, stdout, stderr, env } = process;

/**
 * Sets the exit code; never ends the process itself, so that what was printed gets out. What a command works with is
 * imported when it is called: the service carries nothing of the others, and they do not wait for the service.
 */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  endQuietly([stdout, stderr], (sentence) => {
    stderr.write(`${sentence}\n`);
    process.exitCode = 1;
  });
  const { program } = createProgram();
  const problem = unknownCommand(argv.slice(2), program);
  if (problem === undefined) return void (await program.parseAsync([...argv]));
  stderr.write(`${problem}\n`);
  process.exitCode = 1;
}

/** Every command with its options; nothing is run. */
export function createProgram(): { readonly program: Command } {
  const program = new Command('postern')
    .description('An authentication sidecar for network video recorders.')
    .version(VERSION)
    .addOption(
      new Option('--config-dir <directory>', 'where the configuration, the store and the keys are kept')
        .env('POSTERN_CONFIG_DIR')
        .default(defaultDirectory(), '/config where that exists, else ./config'),
    );
  const directory = (): string => program.opts<{ configDir: string }>().configDir;
  const exit = (code: number): void => {
    process.exitCode = code;
  };
  const clock = { now: () => Date.now() };
  const warn = (sentence: string): void => void stderr.write(`${sentence}\n`);
  const schema = async () => (await import('../../app/resources/features.ts')).configSchema();
  const place = () => ({ directory: directory(), env, schema, clock, warn });
  const openStore = async (use: StoreUse = 'create') =>
    (await import('../../app/commands/commands.ts')).openForCommands(place(), use);
  const frame = { place, openStore, stdin, stdout, stderr, exit };
  const featureFrame: CommandFrame = {
    ...frame,
    check: async (at) => (await (await import('./check.ts')).checkedAt(at)).problems,
    isRunning: async (settings) => (await import('./healthcheck.ts')).isAlive(settings),
    providerFaults: async (settings, at) =>
      (await import('../../features/oidc/providers.ts')).providerFaults(settings, at),
  };

  program
    .command('serve', { isDefault: true })
    .description('run the gate: listeners, login, forwarding, and the events backend beside it')
    .action(async () => {
      const { runServe } = await import('./serve.ts');
      exit(await runServe({ directory: directory(), env, schema, stdout, stderr }));
    });
  registerBackendCommand(program, frame);
  program
    .command('check')
    .description('read the configuration as serve would, and print every problem with it')
    .action(async () => {
      const { runCheck } = await import('./check.ts');
      exit(await runCheck({ directory: directory(), env, schema, stdout, stderr }));
    });
  program
    .command('healthcheck')
    .description('exit 0 when the running server says that it is alive')
    .action(async () => {
      const { runHealthcheck } = await import('./healthcheck.ts');
      exit(await runHealthcheck({ directory: directory(), env, stderr }));
    });
  for (const { commands } of FEATURES) commands?.(program, featureFrame);
  registerExplainCommand(program, frame);
  for (const group of [USERS, ROLES, TOKENS, LIMITS, SITES]) register(program, frame, group);
  for (const { group } of FEATURES) if (group) register(program, frame, group);
  registerEventsCommands(program, frame);
  registerStoreCommands(program, frame);
  return { program };
}

/** Commands of former versions, and what there is in their place. */
const REMOVED: Readonly<Record<string, string>> = {
  completion: 'it was removed, and nothing replaces it',
};

/** The sentence for the operator; undefined when the command is known, or none is named. */
export function unknownCommand(words: readonly string[], program: Command): string | undefined {
  const named = commandWords(words).command;
  const known = [...program.commands.flatMap((command) => [command.name(), ...command.aliases()]), 'help'];
  if (named === undefined || known.includes(named)) return undefined;
  const removed = Object.hasOwn(REMOVED, named) ? REMOVED[named] : undefined;
  if (removed !== undefined) return `there is no command ${JSON.stringify(named)}: ${removed}`;
  const meant = nearest(named, known);
  const step = meant === undefined ? '"postern help" shows all' : `did you mean ${meant}?`;
  return `there is no command ${JSON.stringify(named)}: ${step}`;
}
