/** docs/generated/asvs.md, from asvs.yaml: each requirement, whether it is met, and the test that proves it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export interface AsvsRow {
  readonly row: string;
  readonly level: string;
  readonly state: 'met' | 'partly' | 'no' | 'n/a';
  readonly how: string;
  /** `file: title`, or the file alone. */
  readonly test?: string;
}

export interface AsvsChapter {
  readonly title: string;
  readonly rows: readonly AsvsRow[];
}

export const readAsvs = (): readonly AsvsChapter[] =>
  parse(readFileSync(join(import.meta.dirname, 'asvs.yaml'), 'utf8'));

const INTRODUCTION = `# ASVS 5.0, chapters 6 to 9

OWASP's Application Security Verification Standard, version 5.0.0: authentication (V6), sessions (V7), authorization (V8) and self-contained tokens (V9).
All requirements of the three levels are listed. This is the project's own assessment; no third party has verified it. Numbers and levels were compared
with the project's texts of chapters 6 to 9 on 2026-11-22. This document is made by \`npm run generate\`.

**Met**: by the default configuration, unless a key is named. **Partly** and **no**: the row says what is missing, and why.
**n/a**: Postern has no such function. The last column names the proof, as \`file: title\`; a test checks that each exists. Where it is \`–\`, the proof is the
configuration or the documentation.
`;

export const asvsDocument = (chapters: readonly AsvsChapter[]): string =>
  `${INTRODUCTION}${chapters.map(section).join('')}`;

const section = ({ title, rows }: AsvsChapter): string =>
  ['', `## ${title}`, '', '| row | level | state | how | test |', '|---|---|---|---|---|', ...rows.map(line), ''].join(
    '\n',
  );

const line = ({ row, level, state, how, test }: AsvsRow): string =>
  `| ${row} | ${level} | ${state} | ${how} | ${test?.replace(/^[^:]+/, '`$&`') ?? '–'} |`;
