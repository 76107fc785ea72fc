/** The fenced blocks of the guides, each with its language and where it stands. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');

export interface Block {
  /** `docs/api.md:40`. */
  readonly place: string;
  readonly file: string;
  /** Empty for a drawing. */
  readonly language: string;
  readonly body: string;
}

/** The recipes of docs/sso have a test of their own, and the contract tells of no commands. */
export const GUIDES: readonly string[] = [
  'README.md',
  ...globSync('docs/*.md', { cwd: ROOT }).filter((file) => !/(?:spec|interface)\.md$/.test(file)),
].sort();

const FENCE = /^(?<indent> *)```(?<language>\w*)\n(?<body>[\s\S]*?)^\k<indent>```$/gm;

export function blocksOf(file: string): readonly Block[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(FENCE)].map(({ groups, index }) => {
    const { indent = '', language = '', body = '' } = groups ?? {};
    const line = text.slice(0, index).split('\n').length;
    return { place: `${file}:${line}`, file, language, body: body.replaceAll(new RegExp(`^${indent}`, 'gm'), '') };
  });
}

/** Commands of a shell block: continued lines joined, comments and blank lines left out. */
export const commandsOf = ({ body }: Block): readonly string[] =>
  body
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.replace(/\s+# .*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
