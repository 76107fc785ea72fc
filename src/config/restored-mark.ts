/** A mark in the configuration directory: what is there was restored, and the next start has yet to say so (SPEC 15). */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const MARK = '.restored';

export interface RestoredMark {
  /** Unix seconds: when the backup was made, and when it was restored. */
  readonly madeAt: number;
  readonly restoredAt: number;
  /** Whether its sessions, tokens, links, invitations and screens were ended. */
  readonly isRevoked: boolean;
}

export const markRestored = (directory: string, mark: RestoredMark): Promise<void> =>
  writeFile(join(directory, MARK), `${JSON.stringify(mark)}\n`, { mode: 0o600 });

/** Undefined where nothing was restored since the last start. */
export async function restoredMark(directory: string): Promise<RestoredMark | undefined> {
  const text = await readFile(join(directory, MARK), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as RestoredMark);
}

/** Where the directory cannot be written it stays, and the next start says it again. */
export const forgetRestored = (directory: string): Promise<void> =>
  rm(join(directory, MARK), { force: true }).catch(() => {});
