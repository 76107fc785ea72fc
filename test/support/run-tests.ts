/**
 * `npm test`, `npm run test:slow`, `npm run test:nightly [-- COMMIT]`, `npm run test:change -- COMMIT` (what a change must pass:
 * the fast ones, the slow ones and a tenth of the nightly ones) and `npm run tests-of FILE…`. The test files of a folder
 * share a process, where most of their time was the start of a process for each; `*.slow.test.ts` and `*.nightly.test.ts` have
 * one each. With a commit, a tenth of the nightly files runs, chosen by its hash. What tests write for a moment lies in memory
 * where the system has a place for that: hundreds of stores are made, each commit of which waits for the disk.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, chmodSync, constants, globSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testsOf } from './tests-of.ts';

const ROOT = join(import.meta.dirname, '../..');
/** One more than two cores run, for some tests wait more than they work. */
const AT_ONCE = 3;
const isSlow = (file: string): boolean => file.endsWith('.slow.test.ts');
const isNightly = (file: string): boolean => file.endsWith('.nightly.test.ts');
const inBrowser = (file: string): boolean => file.startsWith('test/browser/');

/**
 * Each file of a test imports a thousand modules: not to look whether each path is a link saves a tenth of that time. Hundreds of
 * instances live for a moment: a larger space for young objects saves a sixth of all.
 */
const FLAGS: readonly string[] = ['--preserve-symlinks', '--max-semi-space-size=64', '--test-reporter=spec'];

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

/** What one process runs: what has a process of its own is long and goes first, then what is large, so that the last ones are short. */
function groupsOf(files: readonly string[]): string[][] {
  const folderOf = (file: string): string =>
    isSlow(file) || isNightly(file)
      ? file
      : file
          .split('/')
          .slice(0, -1)
          .slice(0, file.startsWith('test/features/') ? 3 : 2)
          .join('/');
  const groups = Object.values(Object.groupBy(files, folderOf) as Record<string, string[]>);
  const isAlone = ([file = '']: readonly string[]): boolean => isSlow(file) || isNightly(file);
  return groups.sort((one, other) => Number(isAlone(other)) - Number(isAlone(one)) || other.length - one.length);
}

interface Ended {
  readonly files: readonly string[];
  readonly code: number | null;
  readonly output: string;
  readonly seconds: number;
}

function run(files: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  const begun = performance.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...FLAGS, 'test/support/together.ts', ...files], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.once('close', (code) => resolve({ files, code, output, seconds: (performance.now() - begun) / 1000 }));
  });
}

/** The output of each process is shown whole at its end, so that it does not mix with that of the others. */
async function runAll(files: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended[]> {
  const waiting = groupsOf(files);
  const ended: Ended[] = [];
  const take = async (): Promise<void> => {
    for (let group = waiting.shift(); group; group = waiting.shift()) {
      const result = await run(group, env);
      process.stdout.write(result.output);
      ended.push(result);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
  return ended;
}

/** The numbers that each process wrote at its end. */
const countOf = (ended: readonly Ended[], what: string): number =>
  ended
    .map(({ output }) => Number(new RegExp(`^ℹ ${what} (?<count>\\d+)$`, 'm').exec(output)?.groups?.['count'] ?? 0))
    .reduce((sum, count) => sum + count, 0);

const all = globSync('test/**/*.test.ts', { cwd: ROOT }).sort();
const [which = 'fast', ...sources] = process.argv.slice(2);
const PART = 10;
/** The nightly files of a commit: other ones for another commit, the same ones for the same. */
function tenthFor(commit: string | undefined): string[] {
  const nightly = all.filter(isNightly);
  if (commit === undefined) return nightly;
  const rankOf = (file: string): string => createHash('sha256').update(`${commit} ${file}`).digest('hex');
  const ranked = nightly.toSorted((one, other) => (rankOf(one) < rankOf(other) ? -1 : 1));
  const part = ranked.slice(0, Math.ceil(nightly.length / PART));
  console.log(`nightly tests of ${commit} (npm run test:nightly -- ${commit}): ${part.join(' ')}`);
  return part;
}
const chosen: Readonly<Record<string, () => string[]>> = {
  fast: () => all.filter((file) => !isSlow(file) && !isNightly(file)),
  change: () => [...all.filter((file) => !isNightly(file)), ...tenthFor(sources[0])],
  slow: () => all.filter(isSlow),
  nightly: () => tenthFor(sources[0]),
  of: () => testsOf(sources),
};
const files = chosen[which]?.() ?? [];
if (files.length === 0) {
  console.error(
    `No test imports ${sources.join(', ')}, nor does what tests import: name a file as src/access/query.ts, or run npm test.`,
  );
  process.exit(1);
}

// Tests of pages and of processes meet what is built.
for (const program of ['src/ui/build-pages.ts', 'src/build-server.ts'])
  execFileSync(process.execPath, [program], { cwd: ROOT, stdio: 'inherit' });

const temporary = newDirectory();
// A terminal interrupts the runs too: they end, and then what they left is removed.
process.on('SIGINT', () => undefined);
const chromium = files.some(inBrowser) ? await import('../browser/support/chromium.ts') : undefined;
const browser = chromium?.skip === false ? await chromium.startShared() : undefined;
process.env['TMPDIR'] = temporary;
const { makeTemplate, TEMPLATE, withoutPostgres } = await import('./servers/postgres.ts');
const ended = await runAll(files, {
  ...process.env,
  NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compiled'),
  ...(withoutPostgres === false && { [TEMPLATE]: makeTemplate() }),
  ...(chromium && browser && { [chromium.SHARED]: browser.wsEndpoint() }),
});
await browser?.close();
rmSync(temporary, { recursive: true, force: true });

const failed = ended.filter(({ code }) => code !== 0);
const counts = ['tests', 'pass', 'fail', 'skipped'].map((what) => `${what} ${countOf(ended, what)}`);
console.log(`\n${files.length} files: ${counts.join(', ')}`);
const longest = ended.toSorted((one, other) => other.seconds - one.seconds).slice(0, 10);
for (const { files: group, seconds } of longest)
  console.log(`${seconds.toFixed(0)} s: ${group[0]}${group.length > 1 ? ` and ${group.length - 1} others` : ''}`);
for (const { files: group, code } of failed) console.log(`exit code ${code}: ${group.join(' ')}`);
if (which === 'fast')
  console.log(
    `${all.length - files.length} slow and nightly files were left out: npm run test:slow, npm run test:nightly`,
  );
process.exitCode = failed.length === 0 ? 0 : 1;
