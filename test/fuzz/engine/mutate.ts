/** Makes another input of one: bytes changed, taken out, doubled, words put in, parts of another input joined on. */
import type { Chance } from './chance.ts';

export interface Mutator {
  mutate(parent: Buffer, other: Buffer): Buffer;
}

/** Bytes that parsers stumble over: ends, quotes, separators, escapes, controls, non-ASCII. */
const NOTABLE = Buffer.from('\0\t\n\r "%&\'()*+,-./0:;<=>?@[\\]_`{|}~\x7f\x80\xbf\xc0\xc3\xed\xff', 'latin1');
const MOST_STEPS = 4;
const LONGEST_PART = 64;

/** `words` are put in as they are; no input is longer than `longest` bytes. */
export function createMutator(words: readonly Buffer[], longest: number, chance: Chance): Mutator {
  const place = (bytes: Buffer): number => chance.below(bytes.length + 1);
  const part = (bytes: Buffer): Buffer => {
    const from = place(bytes);
    return bytes.subarray(from, from + 1 + chance.below(LONGEST_PART));
  };
  const put = (bytes: Buffer, at: number, inserted: Uint8Array, removed = 0): Buffer =>
    Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + removed)]);
  const word = (): Buffer => chance.pick(words) ?? NOTABLE.subarray(0, 1);
  const set = (bytes: Buffer, value: (before: number) => number): Buffer => {
    const changed = Buffer.from(bytes);
    const at = chance.below(Math.max(bytes.length, 1));
    if (at < changed.length) changed[at] = value(changed[at] ?? 0);
    return changed;
  };
  const notable = (): number => NOTABLE[chance.below(NOTABLE.length)] ?? 0;

  const STEPS: readonly ((bytes: Buffer, other: Buffer) => Buffer)[] = [
    (bytes) => set(bytes, (before) => before ^ (1 << chance.below(8))),
    (bytes) => set(bytes, () => chance.below(256)),
    (bytes) => set(bytes, notable),
    (bytes) => set(bytes, (before) => before + chance.below(5) - 2),
    (bytes) => put(bytes, place(bytes), Buffer.of(notable())),
    (bytes) => put(bytes, place(bytes), word()),
    (bytes) => put(bytes, place(bytes), word()),
    (bytes) => {
      const inserted = word();
      return put(bytes, place(bytes), inserted, inserted.length);
    },
    (bytes) => put(bytes, place(bytes), NOTHING, 1 + chance.below(8)),
    (bytes) => put(bytes, place(bytes), NOTHING, 1 + chance.below(LONGEST_PART)),
    (bytes) => put(bytes, place(bytes), part(bytes)),
    (bytes, other) => put(bytes, place(bytes), part(other)),
    (bytes, other) => Buffer.concat([bytes.subarray(0, place(bytes)), other.subarray(place(other))]),
    (bytes) => {
      const at = place(bytes);
      return put(bytes, at, Buffer.concat(Array<Buffer>(2 + chance.below(40)).fill(part(bytes).subarray(0, 8))));
    },
  ];

  return {
    mutate(parent, other) {
      let made = parent;
      for (let left = 1 + chance.below(MOST_STEPS); left > 0; left -= 1)
        made = (STEPS[chance.below(STEPS.length)] ?? ((same: Buffer) => same))(made, other);
      return made.length > longest ? made.subarray(0, longest) : made;
    },
  };
}

const NOTHING = Buffer.alloc(0);
