/** Which tests reach a file: by what they import, and what that imports in turn. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = '{src,test}/**/*.{ts,tsx}';
export const isTest = (file: string): boolean => file.endsWith('.test.ts');

/** Imports, workers and data: whatever is named by a relative path. */
const namedBy = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/'(?<path>\.{1,2}\/[^'\n]+)'/g)].map(({ groups }) =>
    join(file, '..', groups?.['path'] ?? ''),
  );

/** Paths from the project's root, in order. A file that no test names by way of others is reached by none. */
export function testsOf(files: readonly string[]): string[] {
  const users = new Map<string, string[]>();
  for (const user of globSync(SOURCES))
    for (const used of namedBy(user)) users.set(used, [...(users.get(used) ?? []), user]);
  const reached = new Set(files);
  for (const file of reached) for (const user of users.get(file) ?? []) reached.add(user);
  return [...reached].filter(isTest).sort();
}
