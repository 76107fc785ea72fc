import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { Command } from 'commander';
import { registerTokensCommands } from '../../src/cli/commands/tokens.ts';
import { registerUsersCommands } from '../../src/cli/commands/users.ts';
import { onStore } from '../../src/cli/on-store.ts';
import { ok } from '../../src/domain/result.ts';

function terminal() {
  const printed = { out: '', err: '', code: -1 };
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  stdout.on('data', (chunk) => {
    printed.out += chunk;
  });
  stderr.on('data', (chunk) => {
    printed.err += chunk;
  });
  const exit = (code: number): void => void Object.assign(printed, { code });
  return { printed, stdin: new PassThrough(), stdout, stderr, exit };
}

const BROKEN = 'config.yaml:1:18 auth.enabled: "maybe" is not true or false';
const openBroken = () => Promise.reject(new Error(BROKEN));

describe('A command on a store that cannot be opened', () => {
  for (const words of [
    ['users', 'list'],
    ['users', 'delete', 'vera'],
    ['tokens', 'list'],
    ['tokens', 'revoke', '1'],
  ]) {
    it(`says so in a sentence, without a stack trace: ${words.join(' ')}`, async () => {
      const { printed, ...parts } = terminal();
      const program = new Command();
      registerUsersCommands(program, { ...parts, openStore: openBroken });
      registerTokensCommands(program, { ...parts, openStore: openBroken, now: () => 0 });
      await program.parseAsync(['node', 'postern', ...words]);
      assert.deepEqual(printed, { out: '', err: `${BROKEN}\n`, code: 1 });
    });
  }
});

describe('A command on a store', () => {
  const rows: [sentence: string, work: () => Promise<ReturnType<typeof ok<string>>>, printed: object][] = [
    ['closes it when all is done', async () => ok('done'), { out: 'done\n', err: '', code: 0 }],
    [
      'closes it when it fails in the middle, which it says',
      () => Promise.reject(new Error('disk full')),
      { out: '', err: 'disk full\n', code: 1 },
    ],
  ];
  for (const [sentence, work, expected] of rows) {
    it(sentence, async () => {
      const { printed, ...parts } = terminal();
      const closings: string[] = [];
      const close = async (): Promise<void> => void closings.push('closed');
      await onStore('change', work, { ...parts, openStore: async () => ({ close }) });
      assert.deepEqual([printed, closings], [expected, ['closed']]);
    });
  }
});
