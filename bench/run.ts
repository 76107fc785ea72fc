/**
 * `npm run bench [name…]`: every benchmark, or the named ones, one after another. Figures are ratios within one run. What follows
 * `versions` are commits, and this benchmark runs only when it is named; what follows `soak` are its rows.
 */
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';

interface Benchmark {
  readonly title: string;
  /** `more`: what follows its name. */
  run(more: readonly string[]): Promise<void>;
}

const known = new Map(
  globSync('*.bench.ts', { cwd: import.meta.dirname })
    .sort()
    .map((file) => [basename(file, '.bench.ts'), join(import.meta.dirname, file)]),
);
const TAKING_MORE: readonly string[] = ['versions', 'soak'];
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1)); // servers end with us
const given = process.argv.slice(2);
const taking = given.findIndex((name) => TAKING_MORE.includes(name));
const wanted = taking < 0 ? given : given.slice(0, taking + 1);
const more = given.slice(wanted.length);
const unknown = wanted.filter((name) => !known.has(name));

if (unknown.length > 0) {
  console.error(`No benchmark is called ${unknown.join(', ')}. There are: ${[...known.keys()].join(', ')}.`);
  process.exitCode = 1;
} else {
  for (const [name, file] of known) {
    if (wanted.length > 0 ? !wanted.includes(name) : name === 'versions') continue;
    const { benchmark } = (await import(file)) as { benchmark: Benchmark };
    console.log(`\n== ${name}: ${benchmark.title}\n`);
    await benchmark.run(TAKING_MORE.includes(name) ? more : []);
  }
}
