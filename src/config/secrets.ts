/** Secrets from files and from the environment: `<key>_file` twins, `{SERVICE_X}` (SPEC 1). */

import { join, resolve } from 'node:path';
import { err, ok, type Result } from '../domain/result.ts';
import { readBounded } from '../files/files.ts';
import type { Environment } from './layers.ts';
import { findPlaces, type Place } from './named-files.ts';
import { type Finding, pathText } from './problems/problems.ts';
import { fileTwin, type Keys } from './schema/keys.ts';
import { isFilePath } from './schema/value-types.ts';

export interface SecretPlaces {
  /** Relative file names start here. */
  readonly directory: string;
  readonly environment: Environment;
  /** Called for every file that is looked for. */
  readonly onFile: (file: string) => void;
}

/** Writes the secrets into the tree and takes the twins out; gives what went wrong. */
export async function fillSecrets(tree: unknown, keys: Keys, places: SecretPlaces): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const place of secretPlaces(tree, keys)) {
    findings.push(...(await substitute(place, places)));
    findings.push(...(await takeTwin(place, places)));
  }
  return findings;
}

const secretPlaces = (tree: unknown, keys: Keys): readonly Place[] =>
  [...keys].flatMap(([place, { isSecret }]) => (isSecret && !place.endsWith('.*') ? findPlaces(tree, place) : []));

async function takeTwin({ section, above, key }: Place, places: SecretPlaces): Promise<readonly Finding[]> {
  const twin = fileTwin(key);
  const file = section[twin];
  if (file === undefined) return [];
  delete section[twin];
  const path = [...above, twin];
  if (typeof file !== 'string' || !isFilePath(file))
    return [{ path, message: `${JSON.stringify(file)} is not a file path: write one, or remove the key` }];
  if (section[key] !== undefined)
    return [{ path, message: `${pathText([...above, key])} is given too: remove one of the two` }];
  const secret = await readSecret(resolve(places.directory, file), places);
  if (!secret.ok) return [{ path, message: `cannot read ${JSON.stringify(file)}: ${secret.error}` }];
  section[key] = secret.value;
  return [];
}

const SUBSTITUTION = /\{(?<name>(?:SERVICE|FRIGATE)_[A-Za-z0-9_]+)\}/g;

async function substitute({ section, above, key }: Place, places: SecretPlaces): Promise<readonly Finding[]> {
  const value = section[key];
  const texts = Array.isArray(value) ? value : [value];
  const filled: unknown[] = [];
  const findings: Finding[] = [];
  for (const [index, text] of texts.entries()) {
    const result = typeof text === 'string' ? await substituted(text, places) : ok(text);
    if (result.ok) filled.push(result.value);
    else findings.push({ path: [...above, key, ...(Array.isArray(value) ? [index] : [])], message: result.error });
  }
  if (findings.length > 0) delete section[key];
  else if (value !== undefined) section[key] = Array.isArray(value) ? filled : filled[0];
  return findings;
}

async function substituted(text: string, places: SecretPlaces): Promise<Result<string, string>> {
  const values = new Map<string, string>();
  for (const { groups } of text.matchAll(SUBSTITUTION)) {
    const name = groups?.['name'] ?? '';
    const value = await lookUp(name, places);
    if (value === undefined) return err(unknownName(name, places));
    values.set(`{${name}}`, value);
  }
  return ok(text.replaceAll(SUBSTITUTION, (written) => values.get(written) ?? written));
}

const unknownName = (name: string, places: SecretPlaces): string =>
  `{${name}} is unknown: set the environment variable ${name} or write the file ${join(credentialsDirectory(places), name)}`;

/** The name as written, then the same name with the other prefix. */
async function lookUp(name: string, places: SecretPlaces): Promise<string | undefined> {
  const bare = name.replace(/^(?:SERVICE|FRIGATE)_/, '');
  const prefix = name.startsWith('SERVICE_') ? 'FRIGATE_' : 'SERVICE_';
  for (const candidate of [name, `${prefix}${bare}`]) {
    const value = places.environment[candidate];
    if (value !== undefined) return value;
    const file = await readSecret(join(credentialsDirectory(places), candidate), places);
    if (file.ok) return file.value;
  }
  return undefined;
}

const credentialsDirectory = (places: SecretPlaces): string =>
  places.environment['CREDENTIALS_DIRECTORY'] ?? '/run/secrets';

async function readSecret(file: string, { onFile }: SecretPlaces): Promise<Result<string, string>> {
  onFile(file);
  try {
    return ok((await readBounded(file, LARGEST_SECRET_BYTES)).replace(/\r?\n$/, ''));
  } catch (fault) {
    return err(whyUnreadable(fault));
  }
}

const LARGEST_SECRET_BYTES = 64 * 1024;

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
  EFBIG: `it is larger than ${LARGEST_SECRET_BYTES} bytes`,
};

const whyUnreadable = (fault: unknown): string => {
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : 'unknown fault';
  return WHY[code] ?? code;
};
