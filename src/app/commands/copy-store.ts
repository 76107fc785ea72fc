/** Opens the two stores of `postern store copy`; the source is opened read-only, and stays as it is. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Result } from '../../domain/result.ts';
import { type CopiedTable, type CopyMode, type CopyProgress, copyStore } from '../../store/copy-store.ts';
import { openStore } from '../../store/open-store.ts';

/** Rejects with a sentence when one of the two cannot be opened. */
export async function copyBetween(
  from: string,
  to: string,
  mode: CopyMode,
  report: (progress: CopyProgress) => void,
): Promise<Result<readonly CopiedTable[], string>> {
  await using opened = new AsyncDisposableStack();
  const source = await openStore({ url: await addressOf(from), readOnly: true });
  opened.defer(source.close);
  const target = await openStore({ url: await addressOf(to), isCopyTarget: true });
  opened.defer(target.close);
  return await copyStore(source, target, mode, report);
}

const SQLITE = 'sqlite:';

/** An address with a password is better read from a file: a command line is seen by every user of the machine. */
async function addressOf(given: string): Promise<string> {
  const address = given.startsWith('@') ? (await readFile(given.slice(1), 'utf8')).trim() : given;
  return address.startsWith(SQLITE) ? `${SQLITE}${resolve(address.slice(SQLITE.length))}` : address;
}
