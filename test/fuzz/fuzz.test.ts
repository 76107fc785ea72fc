/** The inputs that fuzzing has kept, replayed, and a moment of new ones; and the fuzzer itself, on a fault that was planted (issue 23.5). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createChance } from './engine/chance.ts';
import { readCorpus } from './engine/corpus.ts';
import { withCounters } from './engine/counters.ts';
import { createExploration, Finding, type Judge } from './engine/explore.ts';
import { createMutator } from './engine/mutate.ts';
import { TARGETS } from './targets/all-targets.ts';

const USUAL_LONGEST = 1024;
const MOMENT = 100;
const CORPUS_BYTES = 200_000;

describe('Fuzzing', () => {
  let bytes = 0;
  for (const [name, load] of Object.entries(TARGETS)) {
    it(`of ${name} finds nothing in what was kept, nor in a moment, and every outcome is among them`, async (t) => {
      const { fuzzTarget } = await load();
      const { judge, seeds, words = [], longest = USUAL_LONGEST } = fuzzTarget;
      const kept = readCorpus(name).map(({ input }) => input);
      bytes += kept.reduce((sum, { length }) => sum + length, 0);
      const inputs = [...seeds.map((text) => Buffer.from(text)), ...kept];
      const outcomes = new Set<string>();
      for (const input of inputs) outcomes.add(await judge(input));
      const seed = Date.now() % 1_000_000_007;
      t.diagnostic(`seed ${seed}`);
      const chance = createChance(seed);
      const { mutate } = createMutator(
        words.map((word) => Buffer.from(word)),
        longest,
        chance,
      );
      for (let left = MOMENT; left > 0; left -= 1) {
        const input = mutate(chance.pick(inputs) ?? Buffer.alloc(0), chance.pick(inputs) ?? Buffer.alloc(0));
        await Promise.try(judge, input).catch((cause) => {
          throw new Error(`the input ${JSON.stringify(input.toString('latin1'))}`, { cause });
        });
      }
      assert.deepEqual(
        fuzzTarget.outcomes.filter((outcome) => !outcomes.has(outcome)),
        [],
      );
    });
  }

  it('keeps few bytes', () => assert.ok(bytes > 0 && bytes <= CORPUS_BYTES, String(bytes)));
});

const PLANTED = `
  export function judge(input: Uint8Array): string {
    const text = String.fromCharCode(...input);
    if (text[0] === 'p' && text[1] === 'O' && text[2] === '5' && text[3] === 't' && text[4] === '3') throw new Error('planted');
    switch (text.length) {
      case 0: return 'empty';
      default: return text.length > 3 ? 'long' : ('short' as const);
    }
  }
`;

describe('The fuzzer', () => {
  const NAME = 'postern.test.counters';
  const { source, used, words } = withCounters('planted.ts', PLANTED, 0, NAME);
  const counters = new Uint8Array(used);

  /** The number of inputs until the fault is found. */
  async function runsUntilFound(seen: Uint8Array, most: number): Promise<number> {
    Reflect.set(globalThis, NAME, counters);
    const { judge } = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as { judge: Judge };
    const deps = { judge, counters: seen, words: [...'pO5t3'], longest: 16, seed: 7, onTry() {} };
    const exploration = createExploration(deps);
    await exploration.take(Buffer.from('x'));
    const fault: unknown = await exploration.run(most).catch((found: unknown) => found);
    if (fault === undefined) return Number.POSITIVE_INFINITY;
    assert.ok(fault instanceof Finding && fault.message === 'Error: planted', String(fault));
    assert.match(fault.input.toString(), /^pO5t3/);
    return exploration.state().runs;
  }

  it('finds by the ways that inputs take what chance alone does not find', async () => {
    const guided = await runsUntilFound(counters, 20_000);
    assert.ok(guided < 20_000, String(guided));
    assert.equal(await runsUntilFound(new Uint8Array(0), 20_000), Number.POSITIVE_INFINITY);
  });

  it('counts functions, branches, operands and cases, and knows the words of a source', () => {
    assert.deepEqual([used, words.includes('empty')], [10, true]);
  });
});
