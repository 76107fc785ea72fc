/** The table of docs/commands.md has every command, and every word below it (SPEC 1). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createProgram } from '../../src/cli/command-line.ts';
import { readText } from './documents.ts';

const rows = readText('docs/commands.md')
  .split('\n')
  .filter((line) => line.startsWith('| `'));

describe('The table of commands', () => {
  for (const command of createProgram().program.commands) {
    const words = command.commands.map((below) => below.name());
    it(`has ${[command.name(), ...words].join(' ')}`, () => {
      const cells = rows.map((row) => row.split(/(?<!\\)\|/)[1] ?? '').join('\n');
      const own = [...cells.matchAll(/`([^`]+)`/g)]
        .map(([, text = '']) => text.split(' '))
        .filter(([name]) => name === command.name());
      assert.ok(own.length > 0, 'is not there');
      const named = own.flatMap(([, below = '']) => below.split(/\\?\|/));
      assert.deepEqual(
        words.filter((word) => !named.includes(word)),
        [],
      );
    });
  }
});

describe('ARCHITECTURE.md', () => {
  const text = readText('ARCHITECTURE.md');
  it('names no file that is not there', async () => {
    const { existsSync } = await import('node:fs');
    const named = [...text.matchAll(/`((?:src\/)?[a-z0-9-]+\/[\w./-]+\.(?:tsx?|yaml))`/g)].map(([, file = '']) => file);
    assert.ok(named.length > 10);
    assert.deepEqual(
      named.filter((file) => !existsSync(file) && !existsSync(`src/${file}`)),
      [],
    );
  });
});
