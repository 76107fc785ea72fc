/** What the commands of the core work with: an open store, closed in any case, and standard input. */
import type { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import type { CommandStore, StoreUse } from '../app/commands/commands.ts';
import { answering, type CommandPlace, type Output } from '../domain/command-frame.ts';

export interface Frame extends Output {
  /** Known once the options are read. */
  readonly place: () => CommandPlace;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
}

/** The frame of commands that need those parts of an open store. */
export type StoreFrame<Parts extends keyof CommandStore> = Frame & {
  /** Rejects with a sentence. */
  readonly openStore: (use?: StoreUse) => Promise<Pick<CommandStore, Parts | 'close'>>;
};

/** Does it with the store open. */
export const onStore = <Parts extends keyof CommandStore>(
  use: StoreUse,
  work: (store: Pick<CommandStore, Parts | 'close'>) => Promise<string>,
  frame: StoreFrame<Parts>,
): Promise<void> =>
  answering(frame, async () => {
    const store = await frame.openStore(use);
    return work(store).finally(() => store.close());
  });

/** Rows of cells as lines, each column as wide as its widest cell. */
export function alignedRows(rows: readonly (readonly string[])[]): string {
  const [first = []] = rows;
  const widths = first.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}

/** A command on the store: `run` gets the arguments and options by their names, and gives the text to print. */
export interface StoreCommand<Given, Parts extends keyof CommandStore> {
  /** The command and its arguments, as in `create <name>`; groups below the first in front: `second-factor reset <name>`. */
  readonly words: string;
  readonly about: string;
  readonly options?: readonly (readonly [flags: string, about: string, usual?: string])[];
  readonly required?: readonly (readonly [flags: string, about: string])[];
  readonly use: StoreUse;
  readonly run: (open: Pick<CommandStore, Parts>, given: Given, frame: Frame) => Promise<string>;
}

/** Adds a group of such commands; `groups`: what is said of the groups below it. */
export function register<Parts extends keyof CommandStore>(
  program: Command,
  frame: StoreFrame<Parts>,
  [name, about]: readonly [name: string, about: string],
  commands: readonly StoreCommand<never, Parts>[],
  groups: Readonly<Record<string, string>> = {},
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
      const named = command.registeredArguments.map((argument, at) => [argument.name(), command.processedArgs[at]]);
      const given: object = { ...command.opts(), ...Object.fromEntries(named) };
      return onStore(use, (open) => run(open, given as never, frame), frame);
    });
  }
}
