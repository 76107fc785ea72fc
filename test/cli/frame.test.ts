import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { configSchema } from '../../src/app/resources/features.ts';
import { TOKENS } from '../../src/cli/commands/tokens.ts';
import { USERS } from '../../src/cli/commands/users.ts';
import { onStore, register } from '../../src/cli/frame.ts';
import { typed } from '../support/terminal.ts';

const PLACE = { directory: '.', schema: configSchema, env: {}, clock: { now: () => 0 } };
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
      const printed = await typed(
        words,
        (program, frame) => {
          register(program, { ...frame, openStore: openBroken }, USERS);
          register(program, { ...frame, openStore: openBroken }, TOKENS);
        },
        PLACE,
      );
      assert.deepEqual(printed, { out: '', err: `${BROKEN}\n`, code: 1 });
    });
  }
});

describe('A command on a store', () => {
  const rows: [sentence: string, work: () => Promise<string>, printed: object][] = [
    ['closes it when all is done', async () => 'done', { out: 'done\n', err: '', code: 0 }],
    [
      'closes it when it fails in the middle, which it says',
      () => Promise.reject(new Error('disk full')),
      { out: '', err: 'disk full\n', code: 1 },
    ],
  ];
  for (const [sentence, work, expected] of rows) {
    it(sentence, async () => {
      const closings: string[] = [];
      const close = async (): Promise<void> => void closings.push('closed');
      const printed = await typed(
        ['work'],
        (program, frame) =>
          program
            .command('work')
            .action(() => onStore('change', work, { ...frame, openStore: async () => ({ close }) })),
        PLACE,
      );
      assert.deepEqual([printed, closings], [expected, ['closed']]);
    });
  }
});
