/** What commands work with, and how each ends: with a sentence, an exit code, and its store closed in any case (SPEC 1). */
import type { Readable, Writable } from 'node:stream';
import type { CommandPlace, CommandStore, StoreUse } from '../app/commands/commands.ts';
import { messageOf } from '../domain/message-of.ts';
import type { Result } from '../domain/result.ts';
import { isBrokenPipe } from './broken-pipe.ts';

export interface Frame extends Output {
  /** Known once the options are read. */
  readonly place: () => CommandPlace;
  readonly stdin: Readable & { readonly isTTY?: boolean };
}

export interface Output {
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly exit: (code: number) => void;
}

/** The frame of commands that need those parts of an open store. */
export type StoreFrame<Parts extends keyof CommandStore> = Frame & {
  /** Rejects with a sentence. */
  readonly openStore: (use?: StoreUse) => Promise<Pick<CommandStore, Parts | 'close'>>;
};

/** Exits with the code that the work gives; a fault is printed as one sentence, without a stack trace. */
export async function ending({ stderr, exit }: Output, work: () => Promise<number>, ofFault = 1): Promise<void> {
  try {
    exit(await work());
  } catch (fault) {
    if (isBrokenPipe(fault)) return exit(0);
    stderr.write(`${messageOf(fault)}\n`);
    exit(ofFault);
  }
}

/** Prints the sentence that the work gives. */
export const answering = (output: Output, work: () => Promise<Result<string, string>>): Promise<void> =>
  ending(output, async () => {
    const outcome = await work();
    if (outcome.ok) output.stdout.write(`${outcome.value}\n`);
    else output.stderr.write(`${outcome.error}\n`);
    return outcome.ok ? 0 : 1;
  });

/** Does it with the store open. */
export const onStore = <Parts extends keyof CommandStore>(
  use: StoreUse,
  work: (store: Pick<CommandStore, Parts | 'close'>) => Promise<Result<string, string>>,
  frame: StoreFrame<Parts>,
): Promise<void> =>
  answering(frame, async () => {
    const store = await frame.openStore(use);
    return work(store).finally(() => store.close());
  });
