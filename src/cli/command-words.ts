/** Which command the words of a command line name, before any command is loaded. */
import { existsSync } from 'node:fs';

const DIRECTORY = '--config-dir';

/**
 * `command`: as written, known or not; undefined when none is named. `rest`: the words behind it. `directory`: `--config-dir`, the
 * one option before a command that takes a value.
 */
export function commandWords(words: readonly string[]) {
  let directory: string | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!word.startsWith('-')) return { command: word, rest: words.slice(at + 1), directory };
    if (word.startsWith(`${DIRECTORY}=`)) directory = word.slice(DIRECTORY.length + 1);
    if (word === DIRECTORY) directory = words[++at];
  }
  return { command: undefined, rest: [], directory };
}

export const defaultDirectory = (): string => (existsSync('/config') ? '/config' : './config');
