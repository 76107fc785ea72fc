/** What a person mistypes is told, and a shell completes the rest (SPEC 1). */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { createProgram } from '../../src/cli/commands/command-line.ts';
import { unknownCommand } from '../../src/cli/commands/unknown-command.ts';
import { runPostern } from '../support/run-postern.ts';

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

describe('Completion in other shells', () => {
  it('zsh takes that of bash', async () => {
    const { stdout } = await runPostern(['completion', 'zsh']);
    assert.match(stdout, /^#compdef postern\nautoload -U \+X bashcompinit && bashcompinit\n_postern\(\) \{/);
  });
  it('fish has a line for each command and option, with its description', async () => {
    const { stdout } = await runPostern(['completion', 'fish']);
    assert.match(
      stdout,
      /^complete -c postern -n '__fish_use_subcommand' -f -a users -d 'list and change user accounts/m,
    );
    assert.match(stdout, /^complete -c postern -n '__fish_seen_subcommand_from create' -l expires -d /m);
  });
});
