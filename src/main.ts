#!/usr/bin/env node
/** Hands the command line to the CLI, on a Node that can run it. */
import module from 'node:module';
import { join } from 'node:path';
import { commandWords, defaultDirectory } from './cli/command-words.ts';
import { holdV8 } from './cli/v8-settings.ts';

/** Older ones drop header lines after the 1000th in silence, a proxy's role header among them. */
const OLDEST_NODE = '24.18.1';

/** Compares three numbers, the first that differs decides. Not by `localeCompare`: it loads 3 MB of tables of languages. */
function isOlder(version: string, than: string): boolean {
  const numbersOf = (text: string) => text.split('.').map((part) => Number.parseInt(part, 10));
  const [numbers, others] = [numbersOf(version), numbersOf(than)];
  const at = numbers.findIndex((number, index) => number !== others[index]);
  return at >= 0 && (numbers[at] ?? 0) < (others[at] ?? 0);
}

/** Commands that run a service; none named is `serve`. */
const SERVICES: readonly (string | undefined)[] = [undefined, 'serve', 'backend'];

async function run(): Promise<void> {
  const { command, rest, directory } = commandWords(process.argv.slice(2));
  if (SERVICES.includes(command)) holdV8();
  // Compiled code is kept between starts. The directory must not be writable for others: it holds code.
  process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../node_modules/.cache/compiled');
  module.enableCompileCache();
  if (command !== 'healthcheck' || rest.length > 0) {
    const { runCommandLine } = await import('./cli/command-line.ts');
    return runCommandLine(process.argv);
  }
  const { env, stderr } = process;
  const { runHealthcheck } = await import('./features/check/healthcheck.ts');
  const place = { directory: directory ?? env['POSTERN_CONFIG_DIR'] ?? defaultDirectory(), env, stderr };
  process.exitCode = await runHealthcheck(place);
}

if (isOlder(process.versions.node, OLDEST_NODE)) {
  // A checkout brings its Node along, an installed package does not.
  const next = import.meta.dirname.includes('node_modules') ? 'install a newer Node' : 'start it with "npm start"';
  process.stderr.write(`Postern needs Node ${OLDEST_NODE} or newer and this is ${process.version}: ${next}.\n`);
  process.exitCode = 1;
} else await run();
