/** What the commands of the core work with: an open store, closed in any case, and standard input. */
import type { Readable, Writable } from 'node:stream';
import type { CommandStore, StoreUse } from '../app/commands/commands.ts';
import { answering, type CommandPlace, type Output } from '../domain/command-frame.ts';
import type { Result } from '../domain/result.ts';

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
  work: (store: Pick<CommandStore, Parts | 'close'>) => Promise<Result<string, string>>,
  frame: StoreFrame<Parts>,
): Promise<void> =>
  answering(frame, async () => {
    const store = await frame.openStore(use);
    return work(store).finally(() => store.close());
  });
