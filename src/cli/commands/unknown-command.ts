/** A mistyped command, before it is taken for an argument of the default one. */
import type { Command } from 'commander';
import { nearest } from '../../config/problems/nearest.ts';
import { commandWords } from '../command-words.ts';

/** Commands of former versions, and what there is in their place. */
const REMOVED: Readonly<Record<string, string>> = {
  canary: 'press "Run now" beside Canary on the page Status',
  completion: 'it was removed, and nothing replaces it',
};

/** The sentence for the operator; undefined when the command is known, or none is named. */
export function unknownCommand(words: readonly string[], program: Command): string | undefined {
  const named = commandWords(words).command;
  const known = [...program.commands.flatMap((command) => [command.name(), ...command.aliases()]), 'help'];
  if (named === undefined || known.includes(named)) return undefined;
  const removed = Object.hasOwn(REMOVED, named) ? REMOVED[named] : undefined;
  if (removed !== undefined) return `there is no command ${JSON.stringify(named)}: ${removed}`;
  const meant = nearest(named, known);
  const step = meant === undefined ? '"postern help" shows all' : `did you mean ${meant}?`;
  return `there is no command ${JSON.stringify(named)}: ${step}`;
}
