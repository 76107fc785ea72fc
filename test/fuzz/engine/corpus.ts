/** The inputs that are kept in the repository, in one archive: few, small, each taking a way that the others do not. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

/** JSON in gzip: for each target its inputs by name, in base64. */
const ARCHIVE = join(import.meta.dirname, '../corpus.json.gz');
/** Of one target; there are a dozen. */
const MOST_BYTES = 14_000;
const MOST_INPUTS = 120;
/** Inputs that once failed stay, whatever else is found. */
const FOUND = 'found-';

export interface KeptInput {
  readonly name: string;
  readonly input: Buffer;
}

type Kept = Record<string, Record<string, string>>;

const read = (): Kept =>
  existsSync(ARCHIVE) ? (JSON.parse(gunzipSync(readFileSync(ARCHIVE)).toString('utf8')) as Kept) : {};

/** Sorted, so that the same inputs are the same archive. */
function write(kept: Kept): void {
  const sorted = Object.fromEntries(
    Object.keys(kept)
      .sort()
      .map((target) => [target, Object.fromEntries(Object.entries(kept[target] ?? {}).sort())]),
  );
  writeFileSync(ARCHIVE, gzipSync(JSON.stringify(sorted), { level: 9 }));
}

export const readCorpus = (target: string): readonly KeptInput[] =>
  Object.entries(read()[target] ?? {}).map(([name, text]) => ({ name, input: Buffer.from(text, 'base64') }));

/** Replaces the kept inputs, but for the found ones. The smallest come first. */
export function writeCorpus(target: string, inputs: readonly Buffer[]): void {
  const kept = read();
  const own = Object.fromEntries(Object.entries(kept[target] ?? {}).filter(([name]) => name.startsWith(FOUND)));
  let bytes = 0;
  for (const input of inputs.slice(0, MOST_INPUTS)) {
    bytes += input.length;
    if (bytes > MOST_BYTES) break;
    own[digestOf(input)] = input.toString('base64');
  }
  write({ ...kept, [target]: own });
}

/** Returns where it is now. */
export function writeFound(target: string, input: Uint8Array): string {
  const name = `${FOUND}${digestOf(input)}`;
  const kept = read();
  write({ ...kept, [target]: { ...kept[target], [name]: Buffer.from(input).toString('base64') } });
  return `${ARCHIVE}: ${target}/${name}`;
}

const digestOf = (input: Uint8Array): string => createHash('sha256').update(input).digest('hex').slice(0, 16);
