/** Makes rules about keys. They stand beside the section of their key; `rules.ts` has the list and runs it. */
import { about } from '../problems/problems.ts';
import type { Raw, Rule, Settings } from './schema.ts';

type Said = string | false | undefined;

export const fails = (key: string, problem: (raw: Raw, isWhole: boolean) => Said): Rule => ({
  key,
  problems: (raw, isWhole) => about(key.split('.'), problem(raw, isWhole)),
});

export const warns = (key: string, warning: (settings: Settings) => Said): Rule => ({
  key,
  warnings: (settings) => about(key.split('.'), warning(settings)),
});
