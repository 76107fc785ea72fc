/** The secret that session tokens are signed with: four places in order, or a new one (interface 5.3). */
import { createHash, randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { MaybePromise } from '../../domain/async.ts';
import { parsedJson } from '../../domain/json.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { createOnce } from '../../files/files.ts';

export interface SecretPlaces {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The home-automation add-on's options. Default: `/data/options.json`. */
  readonly optionsFile?: string;
  readonly configDirectory: string;
}

export interface SigningSecret {
  readonly key: Uint8Array<ArrayBuffer>;
  /** Tells one key from another, and nothing of either. */
  readonly keyId: string;
  /** Where it was found, for the log. */
  readonly source: string;
  readonly warnings: readonly string[];
}

/** Interface 5.3, then the NVR's own name for it. */
const NAMES = ['SERVICE_JWT_SECRET', 'FRIGATE_JWT_SECRET'] as const;
const DEFAULT_CREDENTIALS_DIRECTORY = '/run/secrets';
const ADD_ON_OPTIONS = '/data/options.json';
const OPTION = 'jwt_secret';
const FILE = '.jwt_secret';
const SHORTEST_SECRET = 64;
const GENERATED_BYTES = 64;

/** Errs with the sentence to refuse the start with: a secret that is there but of no use is never passed over. */
export async function findSigningSecret(
  places: SecretPlaces,
  whenMissing: 'create' | 'refuse' = 'create',
): Promise<Result<SigningSecret, string>> {
  const path = join(places.configDirectory, FILE);
  let found = await presentSigningSecret(places);
  if (found.ok && !found.value) {
    if (whenMissing === 'refuse')
      return err(`there is no ${FILE} in ${places.configDirectory}: "postern serve" makes it`);
    try {
      // Of two that start at once, one makes the secret, and both read it.
      await createOnce(path, randomBytes(GENERATED_BYTES).toString('hex'));
    } catch (cause) {
      return err(`cannot write ${path} (${faultCode(cause)}): make the directory writable, or set ${NAMES[0]}`);
    }
    found = await presentSigningSecret(places);
  }
  if (!found.ok) return found;
  return found.value
    ? ok(found.value)
    : err(`${path} disappeared right after it was written: check whether another program cleans this directory`);
}

/** Undefined where there is none, and a start makes one. */
export async function presentSigningSecret(places: SecretPlaces): Promise<Result<SigningSecret | undefined, string>> {
  const { environment, optionsFile = ADD_ON_OPTIONS, configDirectory } = places;
  const directory = environment['CREDENTIALS_DIRECTORY'] || DEFAULT_CREDENTIALS_DIRECTORY;
  const stored = join(configDirectory, FILE);
  const inOptions = optionIn(optionsFile);
  // biome-ignore format: a table
  const looks: readonly (readonly [source: string, look: () => MaybePromise<Result<string | undefined, string>>])[] = [
    ...NAMES.map((name) => [`the environment variable ${name}`, () => ok(environment[name])] as const),
    ...NAMES.map((name) => join(directory, name)).map((path) => [path, () => inFile(path, withoutLineEnd)] as const),
    [`${OPTION} in ${optionsFile}`, () => inFile(optionsFile, inOptions)],
    [stored, () => inFile(stored, firstLine)],
  ];
  for (const [source, look] of looks) {
    const text = await look();
    if (!text.ok) return text;
    if (text.value !== undefined) return judge(text.value, source, source === stored && (await isOpen(stored)));
  }
  return ok(undefined);
}

/** The NVR reads an even number of hex digits as the bytes they stand for, so tokens go both ways. */
export function signingKey(secret: string): Uint8Array<ArrayBuffer> {
  const isHex = secret.length % 2 === 0 && /^[0-9a-f]+$/i.test(secret);
  return Uint8Array.from(Buffer.from(secret, isHex ? 'hex' : 'utf8'));
}

function judge(text: string, source: string, isReadable: boolean): Result<SigningSecret, string> {
  if (text.trim() === '')
    return err(`${source} is empty: put at least ${SHORTEST_SECRET} random characters there, or remove it`);
  const readable = `${source} can be read by others: run "chmod 600 ${source}"`;
  const short = `${source} is shorter than ${SHORTEST_SECRET} characters: make a new one with "openssl rand -hex 64"`;
  const isShort = text.length < SHORTEST_SECRET;
  const key = signingKey(text);
  const keyId = createHash('sha256').update('key id').update(key).digest('hex').slice(0, 16);
  return ok({ key, keyId, source, warnings: [...(isReadable ? [readable] : []), ...(isShort ? [short] : [])] });
}

const optionIn =
  (file: string) =>
  (json: string): Result<string | undefined, string> => {
    const parsed = parsedJson(json);
    if (parsed === undefined) return err(`${file}: not JSON: correct it, or remove it`);
    const option: unknown = Object(parsed)[OPTION] ?? undefined;
    return option === undefined || typeof option === 'string'
      ? ok(option)
      : err(`${file}: ${OPTION} is not a string: write it in quotes`);
  };

const withoutLineEnd = (text: string) => ok(text.replace(/[\r\n]+$/, ''));
const firstLine = (text: string) => ok(text.split(/\r?\n/, 1)[0] ?? '');
const isOpen = async (path: string): Promise<boolean> => ((await stat(path)).mode & 0o077) !== 0;

/** Undefined without the file. */
async function inFile(
  path: string,
  secretIn: (text: string) => Result<string | undefined, string>,
): Promise<Result<string | undefined, string>> {
  try {
    return secretIn(await readFile(path, 'utf8'));
  } catch (cause) {
    const code = faultCode(cause);
    // A new secret instead of an unreadable one would end every session without a word.
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? ok(undefined)
      : err(`cannot read ${path} (${code}): make it a readable file, or remove it`);
  }
}

const faultCode = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? 'unknown';
