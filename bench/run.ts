/**
 * `npm run bench [name…]`: every benchmark, or the named ones, one after another. Figures are ratios within one run. What follows
 * `versions` are commits, and this benchmark runs only when it is named.
 */
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';

interface Benchmark {
  readonly title: string;
  run(commits: readonly string[]): Promise<void>;
}

const known = new Map(
  globSync('*.bench.ts', { cwd: import.meta.dirname })
    .sort()
    .map((file) => [basename(file, '.bench.ts'), join(import.meta.dirname, file)]),
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1)); // servers end with us
const given = process.argv.slice(2);
const versions = given.indexOf('versions');
const wanted = versions < 0 ? given : given.slice(0, versions + 1);
const commits = versions < 0 ? [] : given.slice(versions + 1);
const unknown = wanted.filter((name) => !known.has(name));

if (unknown.length > 0) {
  console.error(`No benchmark is called ${unknown.join(', ')}. There are: ${[...known.keys()].join(', ')}.`);
  process.exitCode = 1;
} else {
  for (const [name, file] of known) {
    if (wanted.length > 0 ? !wanted.includes(name) : name === 'versions') continue;
    const { benchmark } = (await import(file)) as { benchmark: Benchmark };
    console.log(`\n== ${name}: ${benchmark.title}\n`);
    await benchmark.run(commits);
  }
}
