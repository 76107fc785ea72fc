/** The map of the source tree: each file with its own first line. Run directly, it prints the map (`npm run map`). */
import { globSync, readFileSync } from 'node:fs';

const HEADER = /^\/\*\*\s*(?:\*\s*)?(?<purpose>[^\n]*?)\s*(?:\*\/)?$/m;

/** Paths from the project's root, in order; `purpose` is undefined for a file without a header line. */
export const sourceMap = (): readonly { readonly file: string; readonly purpose: string | undefined }[] =>
  globSync('src/**/*.{js,ts,tsx}')
    .filter((file) => !file.endsWith('.d.ts'))
    .sort()
    .map((file) => ({ file, purpose: HEADER.exec(readFileSync(file, 'utf8'))?.groups?.['purpose'] }));

if (import.meta.main) for (const { file, purpose = '' } of sourceMap()) console.log(`${file.padEnd(56)} ${purpose}`);
