/**
 * A module for the `NODE_OPTIONS` of a process: before a thread of it ends, it says whether V8 optimizes what is hot there,
 * and what large parts of Node are loaded.
 */
import v8 from 'node:v8';
import { runInThisContext } from 'node:vm';

const CALLS = 20_000;
const OPTIMIZED = 1 << 4;
const FETCH = 'NativeModule internal/deps/undici/undici';
const { moduleLoadList } = process as unknown as { readonly moduleLoadList: readonly string[] };

/** What loads the tables of languages and time zones, 7 MB of them. */
let hasAskedForLanguages = false;
Intl.DateTimeFormat = noting(Intl.DateTimeFormat);
Intl.Collator = noting(Intl.Collator);
String.prototype.localeCompare = noting(String.prototype.localeCompare);

function noting<Asked extends object>(asked: Asked): Asked {
  const note = (): true => {
    hasAskedForLanguages = true;
    return true;
  };
  return new Proxy(asked, {
    apply: (target, self, given) => note() && Reflect.apply(target as () => unknown, self, given),
    construct: (target, given) => note() && Reflect.construct(target as new () => object, given),
  });
}

process.once('exit', () => {
  v8.setFlagsFromString('--allow-natives-syntax');
  v8.setFlagsFromString('--no-concurrent-recompilation'); // at once, and not when another thread comes to it
  const statusOf = runInThisContext('(subject) => %GetOptimizationStatus(subject)');
  const hot = runInThisContext('() => { let sum = 0; for (let n = 0; n < 1000; n += 1) sum += n; return sum; }');
  for (let calls = 0; calls < CALLS; calls += 1) hot();
  process.stderr.write(`hot code is optimized: ${(statusOf(hot) & OPTIMIZED) !== 0}\n`);
  process.stderr.write(`fetch is loaded: ${moduleLoadList.includes(FETCH)}\n`);
  process.stderr.write(`languages are loaded: ${hasAskedForLanguages}\n`);
});
