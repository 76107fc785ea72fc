/** The command line made of rows: their words, arguments and options, and how a command ends. */
import type { Writable } from 'node:stream';
import { type Command, InvalidArgumentError } from 'commander';
import type { CommandGroup, Frame, OptionRow } from '../accounts/http/route-commands.ts';
import { faultMessage } from '../domain/result.ts';

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

/** The reader of the output has left, as of `postern ledger verify | head`: the command ends without a word. */
const isBrokenPipe = (fault: unknown): boolean => LEFT.includes(Object(fault).code);

/**
 * Ends the process when nobody reads its output: without a listener, Node ends it with a stack. `onFault` is called when the
 * output cannot be written for another reason.
 */
export function endQuietly(outputs: readonly Pick<Writable, 'on'>[], onFault: (sentence: string) => void): void {
  for (const output of outputs)
    output.on('error', (fault: Error) => {
      if (!isBrokenPipe(fault)) onFault(`the output could not be written: ${fault.message}`);
    });
}
