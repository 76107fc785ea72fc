/** What a person mistypes is told (SPEC 1). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createProgram, unknownCommand } from '../../src/cli/command-line.ts';
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
