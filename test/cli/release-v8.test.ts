import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runPostern, servePostern } from '../support/run-postern.ts';

const env = { NODE_OPTIONS: `--import=${import.meta.resolve('../support/report-optimized.ts')}` };
/** Of each thread. */
const toldIn = (stderr: string): string[] =>
  [...stderr.matchAll(/hot code is optimized: (\w+)/g)].map(([, told = '']) => told);

describe('V8 optimizes', () => {
  // biome-ignore format: a table
  const ROWS: readonly (readonly [command: string, optimized: string, why: string])[] = [
    ['check',                             'true',  'as every command but the two services'],
    ['users list',                        'true',  'as everything that opens the store'],
    ['events generate --count 1 --seed 1', 'true', 'which may have much to do'],
  ];
  for (const [command, optimized, why] of ROWS)
    it(`${command}: ${optimized}, ${why}`, async () => {
      const { stderr } = await runPostern(command.split(' '), { env });
      assert.deepEqual(toldIn(stderr), [optimized], stderr);
    });

  it('serve: true, once it has started, with its worker; and what it does not use of Node is not loaded', async () => {
    const serving = await servePostern({ env });
    assert.equal((await fetch(`${serving.internalUrl}/api/profile`)).status, 200);
    await fetch(`${serving.telemetryUrl}/readyz`); // needs the worker
    assert.equal(await serving.end(), 0);
    const atLast = (told: RegExp): string | undefined => serving.output.stderr.match(told)?.at(-1); // the main thread ends last
    assert.equal(atLast(/fetch is loaded: .*/g), 'fetch is loaded: false');
    assert.equal(atLast(/languages are loaded: .*/g), 'languages are loaded: false');
    assert.deepEqual(toldIn(serving.output.stderr), ['true', 'true'], serving.output.stderr);
  });
});
