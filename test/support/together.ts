/** Runs the test files that it is given in one process, each as a suite: what a file starts before its tests ends behind them. */
import { join } from 'node:path';
import { describe } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
for (const file of process.argv.slice(2)) describe(file, () => import(join(ROOT, file)) as Promise<never>);
