/** `postern completion bash|zsh|fish`: what a shell offers at the tabulator, from the table of commands. */
import { Argument, type Command } from 'commander';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

export function registerCompletionCommand(
  program: Command,
  { stdout }: { stdout: { write(text: string): unknown } },
): void {
  program
    .command('completion')
    .description('print what makes a shell complete the commands: eval "$(postern completion bash)"')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: Shell) => void stdout.write(scriptFor(shell, completionsOf(program))));
}

function scriptFor(shell: Shell, completions: readonly Completion[]): string {
  switch (shell) {
    case 'bash':
      return bash(completions);
    case 'zsh':
      return `#compdef postern\n${ZSH_BEGIN}\n${bash(completions)}`;
    case 'fish':
      return fish(completions);
  }
}

/** Completion itself is off in a zsh whose .zshrc does not turn it on. Insecure directories (-i) are left out, not asked about. */
const ZSH_BEGIN = `(( $+functions[compdef] )) || { autoload -U compinit && compinit -i; }
autoload -U +X bashcompinit && bashcompinit`;

interface Completion {
  /** Words behind `postern`; '' for none. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly { readonly long: string; readonly description: string }[];
}

function completionsOf(command: Command, path = ''): readonly Completion[] {
  const commands = command.commands.map((below) => ({ name: below.name(), description: below.description() }));
  const options = command.options.flatMap(({ long, description }) => (long ? [{ long, description }] : []));
  const below = command.commands.flatMap((each) => completionsOf(each, `${path} ${each.name()}`.trim()));
  return [{ path, commands, options: [...options, { long: '--help', description: 'show help' }] }, ...below];
}

const wordsOf = ({ commands, options }: Completion): string =>
  [...commands.map(({ name }) => name), ...options.map(({ long }) => long)].join(' ');

/** `path` would be the search path of zsh, which runs this too. */
function bash(completions: readonly Completion[]): string {
  const paths = completions.map(({ path }) => path).filter((path) => path !== '');
  return `_postern() {
  local chosen='' word
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "\${chosen:+$chosen }$word" in
      ${paths.map((path) => `'${path}'`).join(' | ')}) chosen="\${chosen:+$chosen }$word" ;;
    esac
  done
  case "$chosen" in
${completions.map((each) => `    '${each.path}') COMPREPLY=($(compgen -W '${wordsOf(each)}' -- "\${COMP_WORDS[COMP_CWORD]}")) ;;`).join('\n')}
  esac
}
complete -o default -F _postern postern
`;
}

function fish(completions: readonly Completion[]): string {
  const lines = completions.flatMap((each) => {
    const when =
      each.path === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${each.path.split(' ').at(-1)}`;
    const line = (what: string, description: string): string =>
      `complete -c postern -n '${when}' ${what} -d '${description.replaceAll(/['\\]/g, '\\$&')}'`;
    return [
      ...each.commands.map(({ name, description }) => line(`-f -a ${name}`, description)),
      ...each.options.map(({ long, description }) => line(`-l ${long.slice(2)}`, description)),
    ];
  });
  return `${lines.join('\n')}\n`;
}
