/** docs/generated/adversaries.md, from adversaries.yaml: who may try what, what stops it, and the test that proves it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export interface Adversary {
  readonly who: string;
  readonly tries: readonly {
    readonly tries: string;
    readonly stopped_by: string;
    /** What Postern cannot prevent. */
    readonly accepted?: string;
    /** Files in code style, each with the title of a test behind it, joined by `;`. */
    readonly proof: string;
  }[];
}

export const readAdversaries = (): readonly Adversary[] =>
  parse(readFileSync(join(import.meta.dirname, 'adversaries.yaml'), 'utf8'));

export const adversariesDocument = (adversaries: readonly Adversary[]): string =>
  [
    '# Adversaries',
    '',
    'Who may try what, and what stops it. "Accepted" is what Postern cannot prevent. This document is made by `npm run generate`.',
    '',
    '| Adversary | Tries | What stops it | Accepted | Proof |',
    '|---|---|---|---|---|',
    ...adversaries.flatMap(({ who, tries }) =>
      tries.map(
        (row, at) =>
          `| ${at === 0 ? who : ''} | ${row.tries} | ${row.stopped_by} | ${row.accepted ?? ''} | ${row.proof} |`,
      ),
    ),
    '',
  ].join('\n');
