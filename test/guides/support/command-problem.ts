/** What is wrong with a command that a guide tells to type: no such command of ours, no such option, no such script. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { createProgram } from '../../../src/cli/command-line.ts';
import { ROOT } from './blocks.ts';

/** `notRun`: programs that are none of ours, with the reason why nothing runs them. */
export function commandProblem(command: string, notRun: Readonly<Record<string, string>>): string | undefined {
  for (const part of command.split(/ (?:&&|\|) /)) {
    const words = [...part.matchAll(/'[^']*'|"[^"]*"|\S+/g)].map(([word]) => word.replaceAll(/^['"]|['"]$/g, ''));
    const problem = ownProblem(words) ?? foreignProblem(words, notRun);
    if (problem !== undefined) return `${part}: ${problem}`;
  }
  return undefined;
}

/** Behind `docker compose exec postern postern`, `docker compose run postern` and `npm run -s postern --` ours begins too. */
function ownWords(words: readonly string[]): readonly string[] | undefined {
  if (words[0] === 'postern') return words.slice(1);
  if (words[0] === 'npm') {
    const dashes = words.indexOf('--');
    return words.includes('postern') && dashes > 0 ? words.slice(dashes + 1) : undefined;
  }
  if (words[0] !== 'docker' || words[1] !== 'compose') return undefined;
  const behind = words.slice(words.indexOf('postern') + 1);
  if (words[2] === 'run') return behind; // the image starts postern by itself
  return words[2] === 'exec' && behind[0] === 'postern' ? behind.slice(1) : undefined;
}

function ownProblem(words: readonly string[]): string | undefined {
  const own = ownWords(words);
  if (own === undefined || own.length === 0) return undefined;
  let command: Command = createProgram().program;
  for (let at = 0; at < own.length; at++) {
    const word = own[at] ?? '';
    if (word.startsWith('--')) {
      const option = command.options.find(({ long }) => long === word.split('=')[0]);
      if (option === undefined) return `${command.name()} has no option ${word}`;
      if ((option.required || option.optional) && !word.includes('=')) at += 1;
      continue;
    }
    const below = command.commands.find((each) => each.name() === word);
    if (below === undefined && command.commands.length > 0) return `${command.name()} has no command ${word}`;
    command = below ?? command;
  }
  return undefined;
}

const SCRIPTS = Object.keys(
  (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }).scripts,
);

function foreignProblem(
  [program = '', verb = '', ...rest]: readonly string[],
  notRun: Readonly<Record<string, string>>,
): string | undefined {
  if (program === 'postern') return undefined;
  if (!(program in notRun)) return `nothing is known of ${program}`;
  const script = program !== 'npm' ? undefined : verb === 'run' ? rest.find((word) => !word.startsWith('-')) : verb;
  const isKnown = script === undefined || script === 'ci' || SCRIPTS.includes(script);
  return isKnown ? undefined : `package.json has no script ${script}`;
}
