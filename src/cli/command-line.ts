/** The command line, `postern <command>`: what there is, and how each command is told where the configuration is (SPEC 1). */
import { Command, Option } from 'commander';
import type { Frame } from '../accounts/http/route-commands.ts';
import { nearest } from '../config/problems/problems.ts';
import { FEATURES } from '../features/all.ts';
import { commandWords, defaultDirectory } from './command-words.ts';
import { COMMANDS } from './commands.ts';
import { endQuietly, register } from './frame.ts';
import { VERSION } from './version.ts';

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
  const frame = createFrame({
    place: () => ({
      directory: program.opts<{ configDir: string }>().configDir,
      env,
      schema: async () => (await import('../app/resources/features.ts')).configSchema(),
      clock: { now: () => Date.now() },
      warn: (sentence) => void stderr.write(`${sentence}\n`),
    }),
    stdin,
    stdout,
    stderr,
    exit(code) {
      process.exitCode = code;
    },
  });
  for (const group of COMMANDS) register(program, frame, group);
  for (const { group } of FEATURES) if (group) register(program, frame, group);
  return { program };
}

type Terminal = Pick<Frame, 'place' | 'stdin' | 'stdout' | 'stderr' | 'exit'>;

const isRunning: Frame['isRunning'] = async (settings) => (await import('./healthcheck.ts')).isAlive(settings);

/** What commands work with, at this terminal. */
export const createFrame = (terminal: Terminal): Frame => ({
  ...terminal,
  openStore: async (use = 'create') => (await import('../app/commands.ts')).openForCommands(terminal.place(), use),
  openToExplain: async () => (await import('../app/commands.ts')).openToExplain(terminal.place()),
  check: async (place) => (await (await import('../features/check/check.ts')).checkedAt(place, isRunning)).problems,
  isRunning,
  async faults(settings, clock) {
    const { faultsIn, loadFeatures } = await import('../app/resources/features.ts');
    return faultsIn(await loadFeatures())(settings, clock);
  },
});

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
