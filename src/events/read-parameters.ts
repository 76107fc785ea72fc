/** The few parameters of the smaller routes, read one by one; every bad one is kept for the answer. */
import type { EventCondition, EventFlag } from '../domain/events/event-question.ts';
import type { Parsed } from '../domain/events/parse-value.ts';
import type { BadParameter } from './read-query.ts';

export interface Parameters {
  /** The last of that name, read; undefined when it is absent or bad. */
  read<Value>(name: string, parse: (text: string) => Parsed<Value>): Value | undefined;
  require<Value>(name: string, parse: (text: string) => Parsed<Value>): Value | undefined;
  readonly bad: readonly BadParameter[];
}

export function createParameters(query: URLSearchParams): Parameters {
  const bad: BadParameter[] = [];
  const read = <Value>(name: string, parse: (text: string) => Parsed<Value>): Value | undefined => {
    const input = query.getAll(name).at(-1);
    const parsed = input === undefined ? undefined : parse(input);
    if (parsed?.ok) return parsed.value;
    if (parsed) bad.push({ name, input, ...parsed.error });
    return undefined;
  };
  return {
    bad,
    read,
    require(name, parse) {
      if (!query.has(name)) bad.push({ name, input: undefined, type: 'missing', message: 'Field required' });
      return read(name, parse);
    },
  };
}

/** Every whole number but 0 is "yes". */
export const flagCondition = (flag: EventFlag, number: number | undefined): EventCondition[] =>
  number === undefined ? [] : [{ kind: 'flag', flag, is: number !== 0 }];
