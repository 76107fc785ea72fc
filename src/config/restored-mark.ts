/** A mark in the configuration directory: what is there was restored, and the next start has yet to say so (SPEC 15). */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const MARK = '.restored';

export interface RestoredMark {
  /** Unix seconds: when the backup was made, and when it was restored. */
  readonly madeAt: number;
  readonly restoredAt: number;
  /** Whether its sessions, tokens, links, invitations and screens were ended. */
  readonly isRevoked: boolean;
}

/** Whole or not at all: the next start reads it. */
export async function markRestored(directory: string, mark: RestoredMark): Promise<void> {
  const draft = join(directory, `${MARK}.${process.pid}`);
  await writeFile(draft, `${JSON.stringify(mark)}\n`, { mode: 0o600 });
  await rename(draft, join(directory, MARK));
}

/** Undefined where nothing was restored since the last start. */
export const restoredMark = (directory: string): Promise<RestoredMark | undefined> =>
  readFile(join(directory, MARK), 'utf8').then(
    (text) => JSON.parse(text) as RestoredMark,
    () => undefined,
  );

/** Where the directory cannot be written it stays, and the next start says it again. */
export const forgetRestored = (directory: string): Promise<void> =>
  rm(join(directory, MARK), { force: true }).catch(() => {});
