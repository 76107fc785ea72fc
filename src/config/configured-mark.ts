/** A mark in the configuration directory: a configuration with content was used here, so an empty file is a lost one. */
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Problem } from './problems/problems.ts';

const MARK = '.configured';
const TEXT = `Postern was started here with a configuration that holds at least one key.
While this file is here, an empty config.yaml is refused as a lost one.
`;

/** What is said of an empty document where one with content was read before. */
export const EMPTIED: Problem = {
  path: '',
  message:
    'is empty, but held a configuration before: restore the file from a backup, or write {} into it to use the default of every key',
};

/**
 * What is said of a file that is the beginning of the one before. Such a file may still parse, with a shorter secret, a
 * wider network, or without the keys that limit somebody.
 */
export const CUT: Problem = {
  path: '',
  message:
    'is cut off: it holds only the beginning of the previous file. Write the whole file again. If you removed its end on purpose, add a comment as the last line (# end), or restart',
};

/** Blanks at the ends of lines, blank lines at the end, and the kind of line ends make no other file. */
export function isCut(text: string, before: string): boolean {
  const [now, then] = [bare(text), bare(before)];
  return now.length < then.length && then.startsWith(now);
}

/** Cut within a line, too: its last blanks are gone on both sides. */
const bare = (text: string): string =>
  text
    .replace(/^\uFEFF/, '')
    .replaceAll(/[ \t\r]+(?=\n|$)/g, '')
    .trimEnd();

export const wasConfigured = (directory: string): Promise<boolean> =>
  access(join(directory, MARK)).then(
    () => true,
    () => false,
  );

/** Where the directory cannot be written, the mark is missing and an empty file is taken for a first one. */
export const markConfigured = (directory: string): Promise<void> =>
  writeFile(join(directory, MARK), TEXT, { flag: 'wx', mode: 0o600 }).catch(() => {});
