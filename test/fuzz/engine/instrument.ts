/** `node --import`: the modules of src/ count the ways that they take. Nothing else is changed. */
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { counted } from './counted.ts';
import { COUNTERS, withCounters } from './counters.ts';

const SOURCES = pathToFileURL(join(import.meta.dirname, '../../../src/')).href;
const NAME = 'postern.fuzz.counters';

Reflect.set(globalThis, NAME, COUNTERS);
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.startsWith(SOURCES) || !url.endsWith('.ts')) return loaded;
    const text =
      typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString();
    const { source, used, words } = withCounters(fileURLToPath(url), text, counted.ways, NAME);
    counted.ways += used;
    counted.words.push(...words);
    if (counted.ways > COUNTERS.length) throw new Error('there are more ways than counters: raise COUNTERS');
    return { ...loaded, format: 'module', source, shortCircuit: true };
  },
});
