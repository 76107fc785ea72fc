/** Commands that call own routes in this process, as the caller `command-line`: their words, and what is said of the answer. */
import type { Readable, Writable } from 'node:stream';
import type { CommandPlace } from '../../config/load-config.ts';
import type { MaybePromise } from '../../domain/async.ts';
import { unixSeconds } from '../../domain/clock.ts';
import type { Output } from '../../domain/command-frame.ts';
import type { CommandCall } from '../../routes/own-route.ts';

/** A terminal, and where the service lies. */
export interface Frame extends Output {
  /** Known once the options are read. */
  readonly place: () => CommandPlace;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
}

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

/**
 * What a command does to the store: one that reads or changes what is there makes neither a directory nor a
 * configuration nor a store.
 */
export type StoreUse = 'read' | 'change' | 'create';

/** Asks a route of the service in this process. */
export interface Asking {
  /** Rejects with the sentence of a refusal; `absent` stands for that of a 404. */
  ask<Answer = unknown>(
    route: string,
    given?: Pick<CommandCall, 'params' | 'body' | 'owner'>,
    absent?: string,
  ): Promise<Answer>;
}

/** A command on the store: `run` gives the text to print. */
interface StoreCommand<Open> {
  /** The command and its arguments, as in `create <name>`; groups below the first in front: `second-factor reset <name>`. */
  readonly words: string;
  readonly about: string;
  readonly options?: readonly (readonly [flags: string, about: string, usual?: string])[];
  readonly required?: readonly (readonly [flags: string, about: string])[];
  readonly use: StoreUse;
  readonly run: (open: Open, given: never, frame: Frame, args: readonly string[]) => Promise<string>;
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
  run: async ({ ask }: Asking, given: Options, frame: Frame, args: readonly string[]) => {
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
export interface CommandGroup<Open = Asking> {
  readonly name: string;
  readonly about: string;
  readonly groups?: Readonly<Record<string, string>>;
  readonly commands: readonly StoreCommand<Open>[];
}
