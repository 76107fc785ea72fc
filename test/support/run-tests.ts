/**
 * `npm test`: every test file in a process of its own, but for folders whose tests share nothing that lasts: one process runs
 * all of those, beside the others. Most of their time was the start of a process for each file. What tests write for a
 * moment lies in memory where the system has a place for that: hundreds of stores are made, each commit of which waits for
 * the disk.
 */
import { spawn } from 'node:child_process';
import { accessSync, chmodSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const TOGETHER: readonly string[] = [
  'access',
  'accounts',
  'config',
  'contracts',
  'docs',
  'domain',
  'fuzz',
  'identity',
  'ledger',
  'openapi',
  'policy',
  'sso',
  'ui',
];
/** More than two cores run, for some tests wait more than they work. */
const AT_ONCE = 4;

/** Each file of a test imports a thousand modules: not to look whether each path is a link saves a tenth of that time. */
const FLAGS: readonly string[] = ['--preserve-symlinks'];

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2 ** 31;

/** A directory for this run; servers that run as another user must reach what lies in it. */
function newDirectory(): string {
  const directory = mkdtempSync(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), 'postern-tests-'));
  chmodSync(directory, 0o1777);
  return directory;
}

function hasRoom(place: string): boolean {
  try {
    accessSync(place, constants.W_OK);
    const { bavail, bsize } = statfsSync(place);
    return bavail * bsize > ENOUGH_BYTES;
  } catch {
    return false; // this system has no such place
  }
}

const folders = readdirSync(join(ROOT, 'test'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !TOGETHER.includes(entry.name))
  .map(({ name }) => name);
const patternsOf = (names: readonly string[]): string[] => names.map((name) => `test/${name}/**/*.test.ts`);

/** Its output is shown whole at its end, so that it does not mix with that of the others. */
function run(args: readonly string[], shows: 'at-once' | 'at-its-end'): Promise<number> {
  return new Promise((resolve) => {
    const env = { ...process.env, TMPDIR: temporary };
    const stdout = shows === 'at-once' ? 'inherit' : 'pipe';
    const child = spawn(process.execPath, [...FLAGS, '--test', ...args], {
      cwd: ROOT,
      env,
      stdio: ['ignore', stdout, 'inherit'],
    });
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

const temporary = newDirectory();
// A terminal interrupts the runs too: they end, and then what they left is removed.
process.on('SIGINT', () => undefined);
const codes = await Promise.all([
  run(['--test-isolation=none', ...patternsOf(TOGETHER)], 'at-its-end'),
  run([`--test-concurrency=${AT_ONCE}`, 'test/*.test.ts', ...patternsOf(folders)], 'at-once'),
]);
process.exitCode = Math.max(...codes);
rmSync(temporary, { recursive: true, force: true });
