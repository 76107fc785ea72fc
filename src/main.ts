#!/usr/bin/env node
/** Hands the command line to the CLI, on a Node that can run it. */
const OLDEST_NODE = 24;
const [major = '0'] = process.versions.node.split('.');

if (Number(major) < OLDEST_NODE) {
  process.stderr.write(
    `Postern needs Node ${OLDEST_NODE} or newer and this is ${process.version}: start it with "npm start".\n`,
  );
  process.exitCode = 1;
} else {
  const { runCommandLine } = await import('./cli/command-line.ts');
  await runCommandLine(process.argv);
}
