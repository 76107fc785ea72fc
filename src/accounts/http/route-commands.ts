/** What a command of `postern` is: a row with its words, its options and its work. Most call own routes in this process, as the caller `command-line`. */
import type { Readable, Writable } from 'node:stream';
import type { Services } from '../../app/services.ts';
import type { CommandPlace } from '../../config/load-config.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { ListenAddress } from '../../domain/addresses.ts';
import type { MaybePromise } from '../../domain/async.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import type { Output } from '../../domain/command-frame.ts';
import type { CommandCall, RouteAsker } from '../../routes/own-route.ts';
import type { Store } from '../../store/open-store.ts';
import type { DoneAct } from './kernel.ts';

/** What commands work with: a terminal, and where the service lies. */
export interface Frame extends Output {
  /** Known once the options are read. */
  readonly place: () => CommandPlace;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  /** Opens the store of a service; what is done there is recorded. Rejects with a sentence. */
  readonly openStore: (use?: StoreUse) => Promise<CommandStore>;
  /** Opens what a request is judged by, without a server. */
  readonly openToExplain: () => Promise<Asking>;
  /** Every problem that a start would have, a sentence each. */
  readonly check: (place: CommandPlace) => Promise<readonly string[]>;
  /** Whether a server answers for this configuration. */
  readonly isRunning: (settings: {
    readonly server: { readonly telemetry: ListenAddress | false };
  }) => Promise<boolean>;
  /** What keeps features from working with other servers, a sentence each. */
  readonly faults: (settings: Settings, clock: Clock) => Promise<readonly string[]>;
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

/** Routes of the service, asked in this process. */
export interface Asking {
  /** Rejects with the sentence of a refusal; `absent` stands for that of a 404. */
  ask<Answer = unknown>(route: string, given?: Omit<CommandCall, 'caller' | 'from'>, absent?: string): Promise<Answer>;
  close(): Promise<void>;
}

/** An open store, with the accounts in it. */
export interface CommandStore extends Asking {
  readonly settings: Settings;
  readonly store: Store;
  readonly asker: RouteAsker;
  /** Users of an NVR, with their roles: what no route does. */
  readonly importing: Pick<Services, 'roleRegistry' | 'clock'> & {
    /** Audits an act. */
    readonly record: (act: DoneAct) => void;
  };
}

/** Flags, and what is said of them. `usual`: the value when it is not given; `parse` throws a sentence, or names the values that there are. */
export type OptionRow = readonly [
  flags: string,
  about: string,
  usual?: unknown,
  parse?: ((text: string, before: never) => unknown) | readonly string[],
];

/** A command. */
export interface CommandRow {
  /** The command and its arguments, as in `create <name>`; groups below the first in front: `second-factor reset <name>`. */
  readonly words: string;
  readonly about: string;
  /** What is said of arguments, by their names. */
  readonly args?: Readonly<Record<string, readonly [about: string, parse?: (text: string) => unknown]>>;
  readonly required?: readonly OptionRow[];
  readonly options?: readonly OptionRow[];
  /** Said below the options. */
  readonly help?: string;
  /** It runs when no command is named. */
  readonly isDefault?: true;
  /** The exit code when the work fails. */
  readonly faultCode?: number;
  /** Gives the text to print, or the exit code. `given`: arguments and options by their names. */
  run(given: never, frame: Frame, args: readonly string[]): Promise<string | number>;
}

/** A group of commands: its name, undefined for commands of one word; what is said of it, and of the groups below it. */
export interface CommandGroup {
  readonly name?: string;
  readonly about?: string;
  readonly groups?: Readonly<Record<string, string>>;
  readonly commands: readonly CommandRow[];
}

/** Does it with the store open. */
export async function onStore<Done>(
  { openStore }: Pick<Frame, 'openStore'>,
  use: StoreUse,
  work: (open: CommandStore) => Promise<Done>,
): Promise<Done> {
  const open = await openStore(use);
  return work(open).finally(() => open.close());
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

/** A command that calls a route. Its arguments are the parameters of the path, in their order. */
export const calls = <Answer = unknown, Options = Given>(
  route: string,
  { body, more, owner, absent, say, use = route.startsWith('GET ') ? 'read' : 'change' }: Calling<Options, Answer>,
) => ({
  run: (given: Options, frame: Frame, args: readonly string[]) =>
    onStore(frame, use, async ({ ask }) => {
      const names = [...route.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
      const params = { ...Object.fromEntries(names.map((name, at) => [name, args[at] ?? ''])), ...more?.(given) };
      const call = { params, body: await body?.(given, frame), owner: owner?.(given) };
      return say(await ask<Answer>(route, call, absent?.(given)), given, frame);
    }),
});

/** A command that prints a list which a route answers. */
export const lists = <Row>(route: string, none: string, columns: Columns<Row>) =>
  calls<readonly Row[]>(route, { say: (rows, _, frame) => table(rows, none, columns, commandTime(frame)) });

/** Unix seconds. */
export const commandTime = ({ place }: Frame): number => unixSeconds(place().clock);
