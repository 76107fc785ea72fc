import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CommandStore } from '../../src/accounts/http/route-commands.ts';
import { configSchema } from '../../src/app/resources/features.ts';
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
      const printed = await typed(words, PLACE, { openStore: openBroken });
      assert.deepEqual(printed, { out: '', err: `${BROKEN}\n`, code: 1 });
    });
  }
});

describe('A command on a store', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, ask: () => Promise<unknown>, printed: object][] = [
    ['closes it when all is done', async () => [], { out: 'There are no tokens yet: "postern tokens create <name>" creates one.\n', err: '', code: 0 }],
    ['closes it when it fails in the middle, which it says', () => Promise.reject(new Error('disk full')), { out: '', err: 'disk full\n', code: 1 }],
  ];
  for (const [sentence, ask, expected] of rows) {
    it(sentence, async () => {
      const closings: string[] = [];
      const close = async (): Promise<void> => void closings.push('closed');
      const openStore = async () => ({ ask, close }) as unknown as CommandStore;
      const printed = await typed(['tokens', 'list'], PLACE, { openStore });
      assert.deepEqual([printed, closings], [expected, ['closed']]);
    });
  }
});
