/** What the commands of the core work with: an open store, closed in any case, and standard input. */
import type { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import type { CommandStore, StoreUse } from '../app/commands/commands.ts';
import type { CommandPlace } from '../config/load-config.ts';
import type { MaybePromise } from '../domain/async.ts';
import { unixSeconds } from '../domain/clock.ts';
import { answering, isBrokenPipe, type Output } from '../domain/command-frame.ts';

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

/** A table: what stands above each column, which may be nothing, and its cells. `now` in Unix seconds. */
export type Columns<Row> = readonly (readonly [heading: string, cell: (row: Row, now: number) => string])[];

/** Rows as lines, each column as wide as its widest cell; `none` where there is no row. */
export function table<Row>(rows: readonly Row[], none: string, columns: Columns<Row>, now = 0): string {
  if (rows.length === 0) return none;
  const headings = columns.map(([heading]) => heading);
  const cells = rows.map((row) => columns.map(([, cell]) => cell(row, now)));
  const lines = headings.every((heading) => heading === '') ? cells : [headings, ...cells];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) => line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Arguments and options by their names. */
export type Given = Readonly<Record<string, string | undefined>>;

/** A command on the store: `run` gives the text to print. */
export interface StoreCommand<Parts extends keyof CommandStore> {
  /** The command and its arguments, as in `create <name>`; groups below the first in front: `second-factor reset <name>`. */
  readonly words: string;
  readonly about: string;
  readonly options?: readonly (readonly [flags: string, about: string, usual?: string])[];
  readonly required?: readonly (readonly [flags: string, about: string])[];
  readonly use: StoreUse;
  readonly run: (
    open: Pick<CommandStore, Parts>,
    given: never,
    frame: Frame,
    args: readonly string[],
  ) => Promise<string>;
}

/** What a command makes of its arguments and options for a route, and of the answer for the terminal. */
interface Calling<Options, Answer> {
  readonly body?: (given: Options, frame: Frame) => MaybePromise<object>;
  /** What a request does not say: there it is found by the thing. */
  readonly more?: (given: Options) => Readonly<Record<string, string>>;
  /** Whose the made thing is. A request has no say in it: there it is the caller. */
  readonly owner?: (given: Options) => string | undefined;
  /** Said in the place of the sentence of a 404. */
  readonly absent?: (given: Options) => string;
  readonly say: (answer: Answer, given: Options, frame: Frame) => string;
  /** Default: `read` for GET, else `change`. */
  readonly use?: StoreUse;
}

/** A command that calls a route of the service in this process, as the caller `command-line`. Its arguments are the parameters of the path, in their order. */
export const calls = <Answer = unknown, Options = Given>(
  route: string,
  { body, more, owner, absent, say, use = route.startsWith('GET ') ? 'read' : 'change' }: Calling<Options, Answer>,
) => ({
  use,
  run: async ({ ask }: Pick<CommandStore, 'ask'>, given: Options, frame: Frame, args: readonly string[]) => {
    const names = [...route.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const params = { ...Object.fromEntries(names.map((name, at) => [name, args[at] ?? ''])), ...more?.(given) };
    const call = { params, body: await body?.(given, frame), owner: owner?.(given) };
    return say(await ask<Answer>(route, call, absent?.(given)), given, frame);
  },
});

/** A command that prints a list which a route answers. */
export const lists = <Row>(route: string, none: string, columns: Columns<Row>) =>
  calls<readonly Row[]>(route, { say: (rows, _, frame) => table(rows, none, columns, commandTime(frame)) });

/** Unix seconds. */
export const commandTime = ({ place }: Frame): number => unixSeconds(place().clock);

/** A group of commands: its name, what is said of it, and of the groups below it. */
export interface CommandGroup<Parts extends keyof CommandStore> {
  readonly name: string;
  readonly about: string;
  readonly groups?: Readonly<Record<string, string>>;
  readonly commands: readonly StoreCommand<Parts>[];
}

export function register<Parts extends keyof CommandStore>(
  program: Command,
  frame: StoreFrame<Parts>,
  { name, about, groups = {}, commands }: CommandGroup<Parts>,
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
