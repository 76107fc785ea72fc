/** The secret that session tokens are signed with: four places in order, or a new one (interface 5.3). */
import { createHash, randomBytes } from 'node:crypto';
import { link, open, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { err, ok, type Result } from '../../domain/result.ts';

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

interface FoundSecret {
  readonly text: string;
  readonly source: string;
  readonly warnings?: readonly string[];
}
/** `undefined`: nothing there, look in the next place. */
type SecretLookup = Result<FoundSecret | undefined, string>;

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
  const there = await presentSigningSecret(places);
  if (!there.ok) return there;
  if (there.value) return ok(there.value);
  if (whenMissing === 'refuse')
    return err(`there is no ${FILE} in ${places.configDirectory}: "postern serve" makes it`);
  return generate(places);
}

/** Undefined where there is none, and a start makes one. */
export async function presentSigningSecret(places: SecretPlaces): Promise<Result<SigningSecret | undefined, string>> {
  for (const look of [inEnvironment, inCredentials, inAddOnOptions, inConfigDirectory]) {
    const found = await look(places);
    if (!found.ok) return found;
    if (found.value) return judge(found.value);
  }
  return ok(undefined);
}

/** The NVR reads an even number of hex digits as the bytes they stand for, so tokens go both ways. */
export function signingKey(secret: string): Uint8Array<ArrayBuffer> {
  const isHex = secret.length % 2 === 0 && /^[0-9a-f]+$/i.test(secret);
  return Uint8Array.from(Buffer.from(secret, isHex ? 'hex' : 'utf8'));
}

function judge({ text, source, warnings = [] }: FoundSecret): Result<SigningSecret, string> {
  if (text.trim() === '')
    return err(`${source} is empty: put at least ${SHORTEST_SECRET} random characters there, or remove it`);
  const short = `${source} is shorter than ${SHORTEST_SECRET} characters: make a new one with "openssl rand -hex 64"`;
  const isShort = text.length < SHORTEST_SECRET;
  const key = signingKey(text);
  return ok({ key, keyId: keyId(key), source, warnings: isShort ? [...warnings, short] : warnings });
}

const keyId = (key: Uint8Array): string => createHash('sha256').update('key id').update(key).digest('hex').slice(0, 16);

async function inEnvironment({ environment }: SecretPlaces): Promise<SecretLookup> {
  const name = NAMES.find((candidate) => environment[candidate] !== undefined);
  return ok(name && { text: environment[name] ?? '', source: `the environment variable ${name}` });
}

async function inCredentials({ environment }: SecretPlaces): Promise<SecretLookup> {
  const directory = environment['CREDENTIALS_DIRECTORY'] || DEFAULT_CREDENTIALS_DIRECTORY;
  for (const path of NAMES.map((name) => join(directory, name))) {
    const text = await readIfThere(path);
    if (!text.ok) return text;
    if (text.value !== undefined) return ok({ text: withoutLineEnd(text.value), source: path });
  }
  return ok(undefined);
}

async function inAddOnOptions({ optionsFile = ADD_ON_OPTIONS }: SecretPlaces): Promise<SecretLookup> {
  const text = await readIfThere(optionsFile);
  if (!text.ok || text.value === undefined) return text.ok ? ok(undefined) : text;
  const secret = optionIn(text.value);
  if (!secret.ok) return err(`${optionsFile}: ${secret.error}`);
  return ok(secret.value === undefined ? undefined : { text: secret.value, source: `${OPTION} in ${optionsFile}` });
}

function optionIn(json: string): Result<string | undefined, string> {
  try {
    const option: unknown = Object(JSON.parse(json))[OPTION] ?? undefined;
    return option === undefined || typeof option === 'string'
      ? ok(option)
      : err(`${OPTION} is not a string: write it in quotes`);
  } catch {
    return err('not JSON: correct it, or remove it');
  }
}

async function inConfigDirectory({ configDirectory }: SecretPlaces): Promise<SecretLookup> {
  const path = join(configDirectory, FILE);
  const text = await readIfThere(path);
  if (!text.ok || text.value === undefined) return text.ok ? ok(undefined) : text;
  const { mode } = await stat(path);
  const open = `${path} can be read by others: run "chmod 600 ${path}"`;
  const firstLine = text.value.split(/\r?\n/, 1)[0] ?? '';
  return ok({ text: firstLine, source: path, warnings: (mode & 0o077) === 0 ? [] : [open] });
}

/** Exclusive: of two that start at once, one makes the secret, and both read it. */
async function generate(places: SecretPlaces): Promise<Result<SigningSecret, string>> {
  const path = join(places.configDirectory, FILE);
  try {
    await createOnce(path, randomBytes(GENERATED_BYTES).toString('hex'));
  } catch (cause) {
    return err(`cannot write ${path} (${faultCode(cause)}): make the directory writable, or set ${NAMES[0]}`);
  }
  const made = await inConfigDirectory(places);
  if (!made.ok) return made;
  return made.value
    ? judge(made.value)
    : err(`${path} disappeared right after it was written: check whether another program cleans this directory`);
}

async function readIfThere(path: string): Promise<Result<string | undefined, string>> {
  try {
    return ok(await readFile(path, 'utf8'));
  } catch (cause) {
    const code = faultCode(cause);
    // A new secret instead of an unreadable one would end every session without a word.
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? ok(undefined)
      : err(`cannot read ${path} (${code}): make it a readable file, or remove it`);
  }
}

const withoutLineEnd = (text: string): string => text.replace(/[\r\n]+$/, '');

const faultCode = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? 'unknown';

const PRIVATE = 0o600;

/**
 * Written beside, synced, then linked into place: a crash leaves no half-written file, and of two creators one wins
 * while the other's text is dropped. Throws when the directory cannot be written.
 */
export async function createOnce(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    await writeFile(draft, text, { flag: 'wx', mode: PRIVATE, flush: true });
    await linkUnlessThere(draft, path);
    await syncDirectory(dirname(path));
  } finally {
    await unlink(draft).catch(() => {});
  }
}

async function linkUnlessThere(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
  }
}

async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path, 'r');
  await directory.sync();
}
