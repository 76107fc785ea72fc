/** The inputs that are kept in the repository: few, small, each taking a way that the others do not. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CORPUS = join(import.meta.dirname, '../corpus');
/** Of one target; there are a dozen. */
const MOST_BYTES = 14_000;
const MOST_INPUTS = 120;
/** Inputs that once failed stay, whatever else is found. */
const FOUND = 'found-';

export interface KeptInput {
  readonly name: string;
  readonly input: Buffer;
}

export function readCorpus(target: string): readonly KeptInput[] {
  const directory = join(CORPUS, target);
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .sort()
    .map((name) => ({ name, input: readFileSync(join(directory, name)) }));
}

/** Replaces the kept inputs, but for the found ones. The smallest come first. */
export function writeCorpus(target: string, inputs: readonly Buffer[]): void {
  const directory = join(CORPUS, target);
  mkdirSync(directory, { recursive: true });
  for (const { name } of readCorpus(target)) if (!name.startsWith(FOUND)) rmSync(join(directory, name));
  let bytes = 0;
  for (const input of inputs.slice(0, MOST_INPUTS)) {
    bytes += input.length;
    if (bytes > MOST_BYTES) return;
    writeFileSync(join(directory, digestOf(input)), input);
  }
}

/** Returns the file. */
export function writeFound(target: string, input: Uint8Array): string {
  const directory = join(CORPUS, target);
  mkdirSync(directory, { recursive: true });
  const file = join(directory, `${FOUND}${digestOf(input)}`);
  writeFileSync(file, input);
  return file;
}

const digestOf = (input: Uint8Array): string => createHash('sha256').update(input).digest('hex').slice(0, 16);
