/**
 * `npm run mutate -- [FILE…]`: breaks the modules that decide, one operator at a time, and runs their tests. A mutant that no
 * test notices survives, and is printed; alert rules are broken likewise. Works on a copy; runs for minutes.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mutatedAlertRules } from './alert-rules.ts';
import { EQUIVALENT, explains } from './equivalent.ts';
import { type Mutant, mutantsOf } from './mutants.ts';
import { TARGETS, type Target } from './targets.ts';

const ROOT = join(import.meta.dirname, '../..');
const COPIED = [
  'src',
  'test',
  'conf',
  'trusted-headers',
  'deploy',
  'docs',
  'dist',
  'package.json',
  'tsconfig.json',
  'README.md',
];
/** A mutant that loops for ever is noticed too: its tests take many times as long as without it. */
const LEAST_PATIENCE_MS = 20_000;
const TIMES_AS_LONG = 8;

const ALERT_RULES = 'deploy/prometheus/postern.rules.yml';

const wanted = process.argv.slice(2);
const targets = TARGETS.filter(({ file }) => wanted.length === 0 || wanted.some((part) => file.includes(part)));
const breaksAlerts = wanted.length === 0 || wanted.some((part) => ALERT_RULES.includes(part));
if (targets.length === 0 && !breaksAlerts)
  throw new Error(`no module is named ${wanted.join(', ')}: see test/mutation/targets.ts`);

const copy = mkdtempSync(join(tmpdir(), 'postern-mutation-'));
process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path), { recursive: true });
symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));

let [all, survived] = [0, 0];
for (const target of targets) {
  const source = readFileSync(join(ROOT, target.file), 'utf8');
  const mutants = mutantsOf(target.file, source);
  const began = performance.now();
  if (!passes(target)) throw new Error(`${target.file}: its tests fail before anything is broken`);
  const patience = Math.ceil(Math.max(LEAST_PATIENCE_MS, TIMES_AS_LONG * (performance.now() - began)));
  const survivors = mutants.filter((mutant, at) => {
    showProgress(`${target.file}: ${at + 1} of ${mutants.length}`);
    return survives(target, source, mutant, patience);
  });
  showProgress('');
  const unexplained = survivors.filter(
    (mutant) => !EQUIVALENT.some((row) => explains(row, target.file, source, mutant)),
  );
  console.log(
    `${target.file}: ${mutants.length - survivors.length} of ${mutants.length} noticed, ${survivors.length - unexplained.length} change nothing`,
  );
  for (const { line, before, after } of unexplained) console.log(`  line ${line}: ${before} -> ${after}`);
  all += mutants.length;
  survived += unexplained.length;
}
if (breaksAlerts) {
  const rules = await mutatedAlertRules();
  console.log(`${ALERT_RULES}: ${rules.all - rules.survivors.length} of ${rules.all} noticed`);
  for (const survivor of rules.survivors) console.log(`  ${survivor}`);
  all += rules.all;
  survived += rules.survivors.length;
}
console.log(`${all - survived} of ${all} are noticed or explained`);
process.exitCode = survived === 0 ? 0 : 1;

function survives(target: Target, source: string, { start, end, after }: Mutant, patience: number): boolean {
  writeFileSync(join(copy, target.file), source.slice(0, start) + after + source.slice(end));
  try {
    return passes(target, patience);
  } finally {
    writeFileSync(join(copy, target.file), source);
  }
}

/** One process for each file of tests, and none for the runner: most of the time was the start of a process. */
function passes({ tests }: Target, timeout?: number): boolean {
  const env = { ...process.env, NODE_COMPILE_CACHE: join(copy, 'compiled') };
  return tests.every(
    (test) =>
      spawnSync(process.execPath, ['--test', '--test-isolation=none', test], {
        cwd: copy,
        env,
        stdio: 'ignore',
        timeout,
        killSignal: 'SIGKILL',
      }).status === 0,
  );
}

function showProgress(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${text}`);
}
