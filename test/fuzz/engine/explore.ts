/**
 * Coverage-guided: an input that takes a way which no other took, or takes one more often, is kept, and others are made
 * of it. The same idea as in libFuzzer and AFL; counters are put into the source by `instrument.ts`.
 */
import { createChance } from './chance.ts';
import { createMutator } from './mutate.ts';

/** What came of an input, in a word: `refused`, `admitted`. Throws when something does not hold that must. */
export type Judge = (input: Buffer) => string | Promise<string>;

export interface ExploreDeps {
  readonly judge: Judge;
  /** A byte for each way; as long as the list of ways. */
  readonly counters: Uint8Array;
  readonly words: readonly string[];
  /** Bytes. */
  readonly longest: number;
  readonly seed: number;
  /** Told before an input is judged, so that one that never ends is known. */
  readonly onTry: (input: Buffer) => void;
}

export interface Exploration {
  /** Judges it, and keeps it when it is new. Rejects when it fails. */
  take(input: Buffer): Promise<void>;
  /** Makes new inputs from the kept ones, and judges them. */
  run(inputs: number): Promise<void>;
  state(): ExploreState;
}

export interface ExploreState {
  readonly runs: number;
  /** Ways, each with how often it was taken, by powers of two. */
  readonly found: number;
  readonly kept: readonly Buffer[];
  readonly outcomes: ReadonlyMap<string, number>;
}

/** An input for which something does not hold. */
export class Finding extends Error {
  override name = 'Finding';
  readonly input: Buffer;
  constructor(input: Buffer, cause: unknown) {
    super(cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause), { cause });
    this.input = input;
  }
}

/** One of eight bits by how often: once, twice, three times, up to 7, 15, 31, 127, more. */
const BUCKETS = Uint8Array.from({ length: 256 }, (_, times) =>
  times < 4 ? (1 << times) >> 1 : (1 << [7, 15, 31, 127, 255].findIndex((most) => times <= most)) << 3,
);

export function createExploration({ judge, counters, words, longest, seed, onTry }: ExploreDeps): Exploration {
  const chance = createChance(seed);
  const mutator = createMutator(
    words.map((word) => Buffer.from(word)),
    longest,
    chance,
  );
  const seen = new Uint8Array(counters.length);
  const fours = new Uint32Array(counters.buffer, counters.byteOffset, counters.length >> 2);
  const kept: Buffer[] = [];
  const outcomes = new Map<string, number>();
  let [runs, found] = [0, 0];

  /** Bits that were not seen before. */
  const noted = (): number => {
    let fresh = 0;
    for (let at = 0; at < counters.length; at += 1) {
      if (at % 4 === 0 && fours[at >> 2] === 0) {
        at += 3; // most ways are not taken
        continue;
      }
      const times = counters[at] ?? 0;
      if (times === 0) continue;
      const bit = BUCKETS[times] ?? 0;
      const before = seen[at] ?? 0;
      if ((before & bit) !== 0) continue;
      seen[at] = before | bit;
      fresh += 1;
    }
    return fresh;
  };
  const take = async (input: Buffer): Promise<void> => {
    counters.fill(0);
    onTry(input);
    let outcome: string;
    try {
      const judged = judge(input);
      outcome = typeof judged === 'string' ? judged : await judged;
    } catch (fault) {
      throw new Finding(Buffer.from(input), fault);
    }
    runs += 1;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    const fresh = noted();
    if (fresh === 0) return;
    found += fresh;
    kept.push(Buffer.from(input));
  };
  /** Half of the time one of the latest: there is more to find around it. */
  const parent = (): Buffer => {
    const from = chance.below(2) === 0 ? 0 : Math.max(0, kept.length - LATEST);
    return kept[from + chance.below(Math.max(1, kept.length - from))] ?? NOTHING;
  };
  return {
    take,
    async run(inputs) {
      for (let left = inputs; left > 0; left -= 1) {
        const pending = take(mutator.mutate(parent(), parent()));
        // Of a judge that answers at once nothing is waited for but a finding.
        await pending;
      }
    },
    state: () => ({ runs, found, kept, outcomes }),
  };
}

const LATEST = 16;
const NOTHING = Buffer.alloc(0);
