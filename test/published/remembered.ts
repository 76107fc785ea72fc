/** docs/generated/remembered.md, from remembered.yaml: every memory of who a caller is and what a caller may do. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export interface Remembered {
  /** Memories of rights or identity. `test`: `file: title`. */
  readonly rights: readonly {
    readonly what: string;
    readonly found_by: string;
    readonly owner: string;
    readonly ends: string;
    readonly life: string;
    readonly test: string;
  }[];
  /** Memories that hold no right. */
  readonly others: readonly { readonly owner: string; readonly what: string }[];
}

export const readRemembered = (): Remembered =>
  parse(readFileSync(join(import.meta.dirname, 'remembered.yaml'), 'utf8'));

export const rememberedDocument = ({ rights, others }: Remembered): string =>
  [
    '# What is remembered of rights and identity',
    '',
    'Every memory of who a caller is and what a caller may do: what it is found by, what ends it, and how long it lives at most. Nothing here outlives the',
    'process. "A change" is any change of accounts, roles, tokens, links, screens or revocations, by this process or another: then the answer is read again at the',
    'next request. While PostgreSQL is away an answer lives on for `store.grace`, unless a change of its own rows was heard. This document is made by',
    '`npm run generate`.',
    '',
    '| what | found by | owner | what ends it | longest life | tested by |',
    '|---|---|---|---|---|---|',
    ...rights.map(
      ({ what, found_by, owner, ends, life, test }) =>
        `| ${what} | ${found_by} | \`${owner}\` | ${ends} | ${life} | ${test.replace(/^[^:]+/, '`$&`')} |`,
    ),
    '',
    '| owner | what it holds, which is no right |',
    '|---|---|',
    ...others.map(({ owner, what }) => `| \`${owner}\` | ${what} |`),
    '',
  ].join('\n');
