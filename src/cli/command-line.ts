/** The command line, `postern <command>`: what there is, and how each command is told where the configuration is (SPEC 1). */
import type { Writable } from 'node:stream';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { CommandGroup, Frame, OptionRow } from '../accounts/http/route-commands.ts';
import { nearest } from '../config/problems/problems.ts';
import { faultMessage } from '../domain/result.ts';
import { FEATURES } from '../features/all.ts';
import { commandWords, defaultDirectory } from './command-words.ts';
import { COMMANDS } from './commands.ts';
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

const isRunning: Frame['isRunning'] = async (settings) =>
  (await import('../features/check/healthcheck.ts')).isAlive(settings);

/** What commands work with, at this terminal. */
export const createFrame = (terminal: Pick<Frame, 'place' | 'stdin' | 'stdout' | 'stderr' | 'exit'>): Frame => ({
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

/** The sentence for the operator; undefined when the command is known, or none is named. */
export function unknownCommand(words: readonly string[], program: Command): string | undefined {
  const named = commandWords(words).command;
  const known = [...program.commands.flatMap((command) => [command.name(), ...command.aliases()]), 'help'];
  if (named === undefined || known.includes(named)) return undefined;
  const meant = nearest(named, known);
  const step = meant === undefined ? '"postern help" shows all' : `did you mean ${meant}?`;
  return `there is no command ${JSON.stringify(named)}: ${step}`;
}

/** Adds commands by their rows. */
export function register(program: Command, frame: Frame, { name, about, groups = {}, commands }: CommandGroup): void {
  const group = name === undefined ? program : program.command(name).description(about ?? '');
  for (const [word, said] of Object.entries(groups)) group.command(word).description(said);
  for (const row of commands) {
    const words = row.words.split(' ');
    const below = Object.hasOwn(groups, words[0] ?? '') ? words.shift() : undefined;
    const parent = group.commands.find((one) => one.name() === below) ?? group;
    const [own = '', ...args] = words;
    const command = parent.command(own, { isDefault: row.isDefault ?? false }).description(row.about);
    for (const arg of args) {
      const argument = command.createArgument(arg);
      const [said = '', parse] = row.args?.[argument.name()] ?? [];
      argument.description = said;
      command.addArgument(parse ? argument.argParser(refusing(parse)) : argument);
    }
    for (const option of row.required ?? []) addOption(command, option).makeOptionMandatory();
    for (const option of row.options ?? []) addOption(command, option);
    if (row.help !== undefined) command.addHelpText('after', row.help);
    command.action(() => {
      const given = command.processedArgs;
      const named = command.registeredArguments.map((argument, at) => [argument.name(), given[at]]);
      const asked: object = { ...command.opts(), ...Object.fromEntries(named) };
      return ending(() => row.run(asked as never, frame, given), frame, row.faultCode);
    });
  }
}

function addOption(command: Command, [flags, about, usual, parse]: OptionRow) {
  const option = command.createOption(flags, about).default(usual);
  command.addOption(option);
  if (typeof parse === 'function') option.argParser(refusing(parse));
  else if (parse) option.choices(parse);
  return option;
}

/** What does not fit is said with the option or the argument. */
const refusing =
  (parse: (text: string, before: never) => unknown) =>
  (text: string, before: unknown): unknown => {
    try {
      return parse(text, before as never);
    } catch (fault) {
      throw new InvalidArgumentError(faultMessage(fault));
    }
  };

/** Prints the text that the work gives, or exits with its code; a fault is printed as one sentence, without a stack trace. */
async function ending(work: () => Promise<string | number>, { stdout, stderr, exit }: Frame, faultCode = 1) {
  try {
    const done = await work();
    if (typeof done === 'string') stdout.write(`${done}\n`);
    exit(typeof done === 'string' ? 0 : done);
  } catch (fault) {
    if (isBrokenPipe(fault)) return exit(0);
    stderr.write(`${faultMessage(fault)}\n`);
    exit(faultCode);
  }
}

/** A closed pipe, and a terminal that hung up. */
const LEFT: readonly unknown[] = ['EPIPE', 'EIO'];

/** The reader of the output has left, as of `postern users list | head`: the command ends without a word. */
const isBrokenPipe = (fault: unknown): boolean => LEFT.includes(Object(fault).code);

/**
 * Ends the process when its output is no longer read: without a listener, Node ends it with a stack. `onFault` is called when the
 * output cannot be written for another reason.
 */
function endQuietly(outputs: readonly Pick<Writable, 'on'>[], onFault: (sentence: string) => void): void {
  for (const output of outputs)
    output.on('error', (fault: Error) => {
      if (!isBrokenPipe(fault)) onFault(`the output could not be written: ${fault.message}`);
    });
}
