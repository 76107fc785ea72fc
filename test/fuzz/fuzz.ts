/**
 * `npm run fuzz -- TARGET|all MINUTES [SEED]`: makes inputs, guided by the ways that they take through the source, until
 * the time is over or Ctrl+C. An input for which something does not hold is kept in test/fuzz/corpus.json.gz, which npm test
 * replays, and ends the run with 1.
 */

import { readCorpus, writeCorpus, writeFound } from './engine/corpus.ts';
import { counted } from './engine/counted.ts';
import { COUNTERS } from './engine/counters.ts';
import { createExploration, type Exploration, Finding, type Judge } from './engine/explore.ts';
import { watchFor } from './engine/watchdog.ts';
import { TARGETS } from './targets/all-targets.ts';
import type { FuzzTarget } from './targets/target.ts';

const [wanted = '', minutesText = '1', seedText] = process.argv.slice(2);
const minutes = Number(minutesText);
const names = wanted === 'all' ? Object.keys(TARGETS) : Object.keys(TARGETS).filter((name) => name === wanted);
if (names.length === 0 || !(minutes > 0)) {
  console.error(`npm run fuzz -- TARGET MINUTES\nTargets: all, ${Object.keys(TARGETS).join(', ')}`);
  process.exit(2);
}

const USUAL_LONGEST = 1024;
/** To collect the stack of a fault takes as long as to parse a body; only that of a finding is read. */
Error.stackTraceLimit = 0;
const FRAMES = 20;
/** Between two looks at the clock. */
const AT_ONCE = 50;
const TELL_MS = process.stdout.isTTY ? 1_000 : 60_000;

let isStopped = false;
process.once('SIGINT', () => {
  isStopped = true;
});

let all = 0;
for (const name of names) {
  if (isStopped) break;
  const { fuzzTarget } = (await TARGETS[name]?.()) ?? {};
  if (fuzzTarget) all += await fuzz(name, fuzzTarget, (minutes * 60_000) / names.length);
}
if (names.length > 1) console.log(`${all} runs in all`);

/** Returns the number of runs. */
async function fuzz(name: string, target: FuzzTarget, milliseconds: number): Promise<number> {
  const { longest = USUAL_LONGEST, judge } = target;
  const seed = seedText === undefined ? Date.now() % 1_000_000_007 : Number(seedText);
  const watchdog = watchFor(name, longest);
  const explore = (): Exploration =>
    createExploration({
      judge,
      counters: COUNTERS.subarray(0, counted.ways),
      words: [...(target.words ?? []), ...new Set(counted.words.filter((word) => word.length > 0 && word.length < 40))],
      longest,
      seed,
      onTry: watchdog.begin,
    });
  const exploration = explore();
  const began = performance.now();
  const spent = (): number => performance.now() - began;
  try {
    for (const text of target.seeds) await exploration.take(Buffer.from(text).subarray(0, longest));
    for (const { input } of readCorpus(name)) await exploration.take(input.subarray(0, longest));
    let toldAt = 0;
    while (!isStopped && spent() < milliseconds) {
      await exploration.run(AT_ONCE);
      if (spent() - toldAt >= TELL_MS) {
        toldAt = spent();
        tell(name, exploration, toldAt, milliseconds);
      }
      await new Promise((resume) => setImmediate(resume)); // for Ctrl+C
    }
    await keep(name, explore(), exploration);
  } catch (fault) {
    if (!(fault instanceof Finding)) throw fault;
    report(name, fault, await stackOf(judge, fault.input), seed);
  } finally {
    watchdog.rest();
    await watchdog.close();
  }
  summarize(name, exploration, spent(), seed);
  return exploration.state().runs;
}

/** Of the inputs that were kept the smallest that take all the ways. */
async function keep(name: string, fresh: Exploration, { state }: Exploration): Promise<void> {
  for (const input of state().kept.toSorted((one, other) => one.length - other.length)) await fresh.take(input);
  writeCorpus(name, fresh.state().kept);
}

/** Judged again, for where it fails. */
async function stackOf(judge: Judge, input: Buffer): Promise<string> {
  Error.stackTraceLimit = FRAMES;
  try {
    await judge(input);
    return 'the second time it does not fail';
  } catch (fault) {
    return fault instanceof Error ? (fault.stack ?? '') : '';
  } finally {
    Error.stackTraceLimit = 0;
  }
}

function report(name: string, { input, message }: Finding, stack: string, seed: number): void {
  isStopped = true;
  process.exitCode = 1;
  console.error(
    `\n${name}: ${message}\n${stack}\ninput: ${JSON.stringify(input.toString('latin1'))}\nkept as ${writeFound(name, input)}; seed ${seed}`,
  );
}

function tell(name: string, { state }: Exploration, spent: number, milliseconds: number): void {
  const { runs, found, kept } = state();
  const left = Math.max(0, (milliseconds - spent) / 60_000);
  const line = `${name}: ${runs} runs, ${Math.round(runs / (spent / 1000))}/s, ${found} ways, ${kept.length} inputs, ${left.toFixed(1)} min left`;
  process.stdout.write(process.stdout.isTTY ? `\r\u001b[K${line}` : `${line}\n`);
}

function summarize(name: string, { state }: Exploration, spent: number, seed: number): void {
  const { runs, found, kept, outcomes } = state();
  const came = [...outcomes].sort().map(([outcome, times]) => `${outcome} ${times}`);
  if (process.stdout.isTTY) process.stdout.write('\r\u001b[K');
  console.log(
    `${name}: ${runs} runs in ${Math.round(spent / 1000)} s (${Math.round(runs / (spent / 1000))}/s), ${found} ways of ${counted.ways} places, ${kept.length} inputs, seed ${seed}; ${came.join(', ')}`,
  );
}
