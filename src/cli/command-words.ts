/** Which command the words of a command line name, before any command is loaded. */
import { existsSync } from 'node:fs';

export interface CommandWords {
  /** The command as written, known or not; undefined when none is named. */
  readonly command: string | undefined;
  /** Words behind the command. */
  readonly rest: readonly string[];
  /** `--config-dir`, as written. */
  readonly directory: string | undefined;
}

const DIRECTORY = '--config-dir';

/** The one option before a command that takes a value is the directory. */
export function commandWords(words: readonly string[]): CommandWords {
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
