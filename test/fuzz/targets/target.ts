/** What is fuzzed: a judge of bytes, and inputs to begin with. */
import type { Judge } from '../engine/explore.ts';

export interface FuzzTarget {
  readonly judge: Judge;
  readonly seeds: readonly string[];
  /** Besides the texts that stand in the source. */
  readonly words?: readonly string[];
  /** Bytes; 1024 unless told. */
  readonly longest?: number;
  /** Every outcome that the judge can have: the inputs that are kept show each of them. */
  readonly outcomes: readonly string[];
}
