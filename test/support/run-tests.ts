/**
 * `npm test`: every test file in a process of its own, but for folders whose tests share nothing that lasts: one process runs
 * all of those, beside the others. Most of their time was the start of a process for each file.
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const TOGETHER: readonly string[] = ['access', 'accounts', 'config', 'docs', 'domain', 'identity', 'ui'];
/** More than two cores run, for some tests wait more than they work. */
const AT_ONCE = 4;

const folders = readdirSync(join(ROOT, 'test'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !TOGETHER.includes(entry.name))
  .map(({ name }) => name);
const patternsOf = (names: readonly string[]): string[] => names.map((name) => `test/${name}/**/*.test.ts`);

/** Its output is shown whole at its end, so that it does not mix with that of the others. */
function run(args: readonly string[], shows: 'at-once' | 'at-its-end'): Promise<number> {
  return new Promise((resolve) => {
    const stdout = shows === 'at-once' ? 'inherit' : 'pipe';
    const child = spawn(process.execPath, ['--test', ...args], { cwd: ROOT, stdio: ['ignore', stdout, 'inherit'] });
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.once('close', (code) => {
      process.stdout.write(output);
      resolve(code ?? 1);
    });
  });
}

const codes = await Promise.all([
  run(['--test-isolation=none', ...patternsOf(TOGETHER)], 'at-its-end'),
  run([`--test-concurrency=${AT_ONCE}`, 'test/*.test.ts', ...patternsOf(folders)], 'at-once'),
]);
process.exitCode = Math.max(...codes);
