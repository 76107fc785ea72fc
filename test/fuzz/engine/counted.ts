/** What the counted modules have in all: none, when the process was not started with `instrument.ts`. */
export const counted = { ways: 0, words: [] as string[] };
