/** Runs one command on the store: prints its sentence, sets the exit code, and closes the store in any case (SPEC 1). */
import type { Writable } from 'node:stream';
import { messageOf } from '../domain/message-of.ts';
import type { Result } from '../domain/result.ts';

/** A command that reads, or changes what is there, creates nothing. */
export type StoreUse = 'read' | 'change' | 'create';

export interface StoreCommandDeps<Store> {
  /** Rejects with a sentence. */
  readonly openStore: (use: StoreUse) => Promise<Store>;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly exit: (code: number) => void;
}

/** Prints an error as one sentence, without a stack trace. */
export async function onStore<Store extends { close(): Promise<void> }>(
  use: StoreUse,
  work: (store: Store) => Promise<Result<string, string>>,
  { openStore, stdout, stderr, exit }: StoreCommandDeps<Store>,
): Promise<void> {
  try {
    const store = await openStore(use);
    const outcome = await work(store).finally(() => store.close());
    if (outcome.ok) stdout.write(`${outcome.value}\n`);
    else stderr.write(`${outcome.error}\n`);
    exit(outcome.ok ? 0 : 1);
  } catch (fault) {
    stderr.write(`${messageOf(fault)}\n`);
    exit(1);
  }
}
