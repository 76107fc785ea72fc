/** What a person mistypes is told, and a shell completes the rest (SPEC 1). */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createProgram } from '../../src/cli/commands/command-line.ts';
import { unknownCommand } from '../../src/cli/commands/unknown-command.ts';
import { newDirectory, runPostern } from '../support/run-postern.ts';

describe('A mistyped command', () => {
  // biome-ignore format: a table
  const rows: [words: string[], said: string | undefined][] = [
    [['usres', 'list'],                   'there is no command "usres": did you mean users?'],
    [['--config-dir', 'x', 'chekc'],      'there is no command "chekc": did you mean check?'],
    [['--config-dir=x', 'xyzzy'],         'there is no command "xyzzy": "postern help" shows all'],
    [['doctor', 'https://nvr.example'],   undefined],
    [['--config-dir', 'usres'],           undefined],
    [[],                                  undefined],
    [['help'],                            undefined],
  ];
  for (const [words, said] of rows)
    it(words.join(' ') || 'none', () => assert.equal(unknownCommand(words, createProgram().program), said));

  it('ends with 1, and starts nothing', async () => {
    const { code, stdout, stderr } = await runPostern(['sevre']);
    assert.deepEqual([code, stdout, stderr], [1, '', 'there is no command "sevre": did you mean serve?\n']);
  });

  it('below another command is told too', async () => {
    const { code, stderr } = await runPostern(['users', 'lst']);
    assert.equal(code, 1);
    assert.match(stderr, /Did you mean list\?/);
  });
});

describe('Completion in bash', () => {
  const offered = async (...words: string[]): Promise<string[]> => {
    const { stdout } = await runPostern(['completion', 'bash']);
    const line = ['postern', ...words].map((word) => `'${word}'`).join(' ');
    const script = `${stdout}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length}; _postern; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n');
  };
  it('offers commands', async () => assert.deepEqual(await offered('us'), ['users']));
  it('offers commands below a command', async () => assert.deepEqual(await offered('users', 'pa'), ['password']));
  it('offers options', async () => assert.deepEqual(await offered('tokens', 'create', 'x', '--exp'), ['--expires']));
  it('offers options of all', async () => assert.deepEqual(await offered('--conf'), ['--config-dir']));
});

const missing = (program: string): string | false =>
  spawnSync(program, ['--version']).error ? `${program} is not installed` : false;

/** A shell at a terminal of its own, at which a person presses the tabulator: prints what stands on each line then. */
const ZSH_TERMINAL = `
zmodload zsh/zpty
zpty shell zsh -f -i
typeset -F SECONDS
wait_for() {
  local seen='' chunk end=$((SECONDS + 10))
  while (( SECONDS < end )); do
    if zpty -rt shell chunk; then seen+=$chunk; [[ $seen == *$1* ]] && { print -r -- "$1"; return }; else sleep 0.02; fi
  done
  print -r -- "in the place of $1: $seen"
}
zpty -w shell "PS1='> '; source $1; print rea''dy"
wait_for ready
shift
while (( $# )); do
  zpty -n -w shell "$1"$'\\t'; wait_for "$2"; zpty -n -w shell $'\\x15'; shift 2
done
zpty -d shell
`;

describe('Completion in other shells', () => {
  const scriptFor = async (shell: string): Promise<string> => {
    const file = join(newDirectory(), `completion.${shell}`);
    writeFileSync(file, (await runPostern(['completion', shell])).stdout);
    return file;
  };

  it('zsh takes that of bash', { skip: missing('zsh') }, async () => {
    const rows = [
      ['postern use', 'postern users'],
      ['postern users ro', 'postern users role'],
      ['postern doctor --prox', '--proxy'],
      ['postern tokens create x --exp', '--expires'],
    ].flat();
    const terminal = ['-f', '-c', ZSH_TERMINAL, 'zsh', await scriptFor('zsh'), ...rows];
    const env = { ...process.env, ZDOTDIR: newDirectory() };
    const lines = execFileSync('zsh', terminal, { encoding: 'utf8', env }).trim().split('\n');
    assert.deepEqual(lines, ['ready', 'postern users', 'postern users role', '--proxy', '--expires']);
  });

  it('fish offers commands and options with their descriptions', { skip: missing('fish') }, async () => {
    const file = await scriptFor('fish');
    const offered = (line: string): string =>
      execFileSync('fish', ['--no-config', '-c', `source ${file}; complete -C '${line}'`], { encoding: 'utf8' }).trim();
    assert.match(offered('postern use'), /^users\tlist and change user accounts/);
    assert.match(offered('postern users ro'), /^role\t/);
    assert.match(offered('postern tokens create --exp'), /^--expires\t/);
  });
});
