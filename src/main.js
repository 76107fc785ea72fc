#!/usr/bin/env node
/** Hands the command line to the CLI, on a Node that can run it. */
// The only file in JavaScript: in TypeScript, the loader that strips types would run before the compile cache is on.
import module from 'node:module';
import { join } from 'node:path';
import v8 from 'node:v8';

/** Older ones drop header lines after the 1000th in silence, a proxy's role header among them. */
const OLDEST_NODE = '24.18.1';

/** Compares three numbers, the first that differs decides. Not by `localeCompare`: it loads 3 MB of tables of languages. */
function isOlder(version = '', than = '') {
  const numbersOf = (text = '') => text.split('.').map((part) => Number.parseInt(part, 10));
  const [numbers, others] = [numbersOf(version), numbersOf(than)];
  const at = numbers.findIndex((number, index) => number !== others[index]);
  return at >= 0 && (numbers[at] ?? 0) < (others[at] ?? 0);
}

if (isOlder(process.versions.node, OLDEST_NODE)) {
  process.stderr.write(
    `Postern needs Node ${OLDEST_NODE} or newer and this is ${process.version}: start it with "npm start".\n`,
  );
  process.exitCode = 1;
} else {
  // A start runs once: optimizing it and a larger young generation would cost memory for nothing. `cli/release-v8.ts`
  // turns both on again.
  v8.setFlagsFromString('--semi-space-growth-factor=1');
  // V8 would make objects of a place in the program in the old generation when many of them have lived long. A few requests that
  // took long are enough; then each request leaves all its objects there, until a full garbage collection.
  v8.setFlagsFromString('--no-allocation-site-pretenuring');
  for (const compiler of ['maglev', 'turbo']) v8.setFlagsFromString(`--${compiler}-filter=~`);
  // An import of node:http reads all that it exports, and these three load Node's own fetch: 50 ms, and some 6 MB. Nothing here uses them.
  const http = process.getBuiltinModule('node:http');
  for (const unused of ['WebSocket', 'CloseEvent', 'MessageEvent']) Reflect.deleteProperty(http, unused);
  // Compiled code is kept between starts. The directory must not be writable for others: it holds code.
  process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../node_modules/.cache/compiled');
  module.enableCompileCache();
  const { runCommandLine } = await import('./cli/commands/command-line.ts');
  await runCommandLine(process.argv);
}
