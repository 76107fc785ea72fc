/** docs/generated/promises.md, from promises.yaml and SECURITY.md: each promise, with the tests that prove it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export interface ProvenPromise {
  /** Its number in SECURITY.md. */
  readonly promise: number;
  /** `file: title`, or a file alone. */
  readonly proofs: readonly string[];
}

export const readPromises = (): readonly ProvenPromise[] =>
  parse(readFileSync(join(import.meta.dirname, 'promises.yaml'), 'utf8'));

/** The first words of each promise of SECURITY.md, by its number. */
export const promisesOf = (security: string): ReadonlyMap<number, string> =>
  new Map(
    [...security.matchAll(/^(\d+)\. \*\*(.+?)\*\*/gms)].map(([, number, words = '']) => [
      Number(number),
      words.replaceAll(/\s+/g, ' '),
    ]),
  );

export const promisesDocument = (proven: readonly ProvenPromise[], security: string): string =>
  [
    '# Promises and their proofs',
    '',
    'The promises of [SECURITY.md](../../SECURITY.md), and the tests that prove them. This document is made by `npm run generate`.',
    ...proven.flatMap(({ promise, proofs }) => [
      '',
      `**${promise}. ${promisesOf(security).get(promise)}**`,
      '',
      ...proofs.map((proof) => `- ${proof.replace(/^[^:]+/, '`$&`')}`),
    ]),
    '',
  ].join('\n');
