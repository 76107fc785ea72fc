import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { runPostern } from '../support/run-postern.ts';

/** WebAssembly inside: some 16 MB, which stay for as long as the process. */
const STRIPPER = 'NativeModule internal/deps/amaro/dist/index';
const TELL = `process.once('exit', () => process.stderr.write(String(process.moduleLoadList.includes('${STRIPPER}'))))`;

it('a start that finds everything stripped loads no stripper of types', async () => {
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(TELL)}` };
  const main = join(import.meta.dirname, '../../src/main.js');
  await runPostern(['check'], { main });
  assert.deepEqual(await runPostern(['check'], { env, main }).then(({ code, stderr }) => ({ code, stderr })), {
    code: 0,
    stderr: 'false',
  });
});
