/** A rule about a key in the light of others. It stands beside the section of its key; `rules.ts` has the list and runs it. */
import { about, type Finding } from '../problems/problems.ts';
import type { Settings } from './schema.ts';

/** The raw value of a key: a problem between keys is reported together with those of single keys. */
export type Raw = (key: string) => unknown;

export interface Rule {
  readonly key: string;
  /** What is wrong. `isWhole`: what the store holds is there too, and nothing else can give what is owed. */
  readonly problems?: (raw: Raw, isWhole: boolean) => readonly Finding[];
  /** What is valid but probably a mistake. */
  readonly warnings?: (settings: Settings) => readonly Finding[];
  /** Whether a reload would trust more than before. `given`: the keys that have a value in the new file. */
  readonly widens?: (running: Settings, read: Settings, given: ReadonlySet<string>) => boolean;
}

type Said = string | false | undefined;

export const fails = (key: string, problem: (raw: Raw, isWhole: boolean) => Said): Rule => ({
  key,
  problems: (raw, isWhole) => about(key.split('.'), problem(raw, isWhole)),
});

export const warns = (key: string, warning: (settings: Settings) => Said): Rule => ({
  key,
  warnings: (settings) => about(key.split('.'), warning(settings)),
});
