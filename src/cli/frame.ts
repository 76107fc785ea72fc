/** What the commands of the core work with: an open store, closed in any case, and standard input. */
import type { Writable } from 'node:stream';
import type { Command } from 'commander';
import type { CommandGroup, Frame, StoreUse } from '../accounts/http/route-commands.ts';
import { answering, isBrokenPipe } from '../domain/command-frame.ts';

/** The frame of commands that need an open store. */
export type StoreFrame<Open> = Frame & {
  /** Rejects with a sentence. */
  readonly openStore: (use?: StoreUse) => Promise<Open & { close(): Promise<void> }>;
};

/** Does it with the store open. */
export const onStore = <Open>(
  use: StoreUse,
  work: (open: Open) => Promise<string>,
  frame: StoreFrame<Open>,
): Promise<void> =>
  answering(frame, async () => {
    const store = await frame.openStore(use);
    return work(store).finally(() => store.close());
  });

export function register<Open>(
  program: Command,
  frame: StoreFrame<Open>,
  { name, about, groups = {}, commands }: CommandGroup<Open>,
): void {
  const group = program.command(name).description(about);
  const below = new Map(
    Object.entries(groups).map(([word, said]) => [word, group.command(word).description(said)] as const),
  );
  for (const { words, about: said, options = [], required = [], use, run } of commands) {
    const [first = '', ...rest] = words.split(' ');
    const parent = below.get(first);
    const command = (parent ?? group).command(parent ? rest.join(' ') : words).description(said);
    for (const [flags, meaning] of required) command.requiredOption(flags, meaning);
    for (const [flags, meaning, usual] of options) command.option(flags, meaning, usual);
    command.action(() => {
      const args: readonly string[] = command.processedArgs;
      const named = command.registeredArguments.map((argument, at) => [argument.name(), args[at]]);
      const given: object = { ...command.opts(), ...Object.fromEntries(named) };
      return onStore(use, (open) => run(open, given as never, frame, args), frame);
    });
  }
}

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
