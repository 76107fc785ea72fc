/** Rules for new passwords, and texts that cannot be passwords (interface 2.1; SPEC 4.3, 12). */
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Settings } from '../../config/schema/schema.ts';
import { err, ok } from '../../domain/result.ts';
import { hasWord } from '../../domain/text.ts';

const LONGEST_PASSWORD_BYTES = 1024;

/** What the configuration says of new passwords. */
export const toPasswordRules = ({ auth, server }: Settings) => ({
  /** The least length in code points: JavaScript's `length` counts an emoji twice. */
  shortest: auth.password_min_length,
  /** Names of this service from the configuration. The `Host` header of a request is none: a client writes it. */
  hostNames: [...server.internal_hosts, ...publicNames(server)] as readonly string[],
});

export type PasswordRules = ReturnType<typeof toPasswordRules>;

/** A part of an IP address is no word: 192 may stand in a password. */
function publicNames({ public_url }: Settings['server']): readonly string[] {
  const name = public_url?.hostname;
  return name === undefined || isIP(name) !== 0 || name.startsWith('[') ? [] : [name];
}

const COMMON = 'Password is one of the most common ones, or nearly: choose another one';

/** A password that may be set, or what is wrong with it: a sentence, and the values of its text. Rejects when the list of common ones cannot be read. */
export async function parseNewPassword(text: string, userName: string, { shortest, hostNames }: PasswordRules) {
  const unfit = (why: string, message: string, word = '') => err({ message, values: { why, shortest, word } });
  if (text === '') return unfit('short', 'Password cannot be empty');
  if ([...text].length < shortest) return unfit('short', `Password must be at least ${shortest} characters long`);
  const fault = passwordFault(text);
  if (fault !== undefined) return unfit('other', fault);
  const word = contextWordIn(text, { userName, hostNames });
  if (word !== undefined)
    return unfit('word', `Password must not contain "${word}": attackers try such names first`, word);
  return (await isCommonPassword(text)) ? unfit('common', COMMON) : ok(text);
}

/**
 * Why a text cannot be a password, checked before hashing. HMAC pads its key with zero bytes, so `secret` and
 * `secret\0` hash alike; and every lone surrogate is encoded as the same replacement character.
 */
export function passwordFault(text: string): string | undefined {
  if (Buffer.byteLength(text) > LONGEST_PASSWORD_BYTES)
    return `Password must be at most ${LONGEST_PASSWORD_BYTES} bytes long`;
  if (!text.isWellFormed() || text.includes('\0')) return 'Password must be well-formed text without NUL characters';
  return undefined;
}

const PRODUCT_NAMES = ['postern', 'frigate'];
/** Names of two letters stand in most sentences. */
const SHORTEST_NAME = 3;
/** Parts of names are parts of other words more often: `may.ann` may like mayonnaise. */
const SHORTEST_PART = 4;

/** The context word that a password holds, in any spelling; undefined for none. */
function contextWordIn(
  password: string,
  { userName, hostNames }: { readonly userName: string; readonly hostNames: readonly string[] },
): string | undefined {
  const spellings = [asTyped, readAsLetters];
  const names = [...PRODUCT_NAMES, userName, ...hostNames].filter((name) => [...name].length >= SHORTEST_NAME);
  // The machine's own name: the rest of a host name is the provider's or the country's.
  const machines = hostNames.map((host) => host.split('.')[0] ?? '');
  const parts = [...userName.split(/[._]/), ...machines].filter((part) => [...part].length >= SHORTEST_PART);
  return (
    names.find((name) => spellings.some((read) => read(password).includes(read(name)))) ??
    parts.find((part) => spellings.some((read) => hasWord(password, read(part), read(password))))
  );
}

const asTyped = (text: string): string => text.toLowerCase();

/** 49,233 passwords from published breaches, as a JSON array of lower-case texts. */
const LIST = '@zxcvbn-ts/language-common/src/passwords.json';

/** Shorter words stand by chance in any text. */
const SHORTEST_WORD = 4;
/** `aaaaaaaaaaaa`, `abcabcabcabc`. */
const SHORT_UNIT = /^(.{1,3})\1+$/su;
const ENDS = /^[^\p{L}]+|[^\p{L}]+$/gu;

// biome-ignore format: a table
const LETTER_FOR: Readonly<Record<string, string>> = {
  '0': 'o', '1': 'i', '!': 'i', '3': 'e', '4': 'a', '@': 'a', '5': 's', $: 's', '7': 't',
};

/** `P@ssw0rd` reads as `password`. */
const readAsLetters = (text: string): string =>
  text.toLowerCase().replace(/[01!34@5$7]/g, (sign) => LETTER_FOR[sign] ?? sign);

/**
 * The file is read for each check and kept nowhere: passwords are set seldom, and 49,000 texts in memory are 20 MB.
 * Rejects when it cannot be read: a password that could not be checked is not set.
 */
async function isCommonPassword(password: string): Promise<boolean> {
  if (SHORT_UNIT.test(password.toLowerCase())) return true;
  const list = await readFile(fileURLToPath(import.meta.resolve(LIST)), 'utf8');
  return listSpellings(password).some((spelling) => list.includes(JSON.stringify(spelling)));
}

/** The texts that a guesser would have to have in the list to come to this password at once. */
function listSpellings(password: string): readonly string[] {
  const text = password.toLowerCase();
  const length = [...text].length;
  // Digits and signs around a short word are most of the password, and may be random.
  const core = text.replace(ENDS, '');
  const isMostly = [...core].length * 2 >= length;
  const spellings = isMostly ? [text, core, readAsLetters(core)] : [text];
  const all = [...spellings, ...spellings.flatMap(repeatedUnits)];
  return [...new Set(all)].filter((spelling) => [...spelling].length >= SHORTEST_WORD);
}

/** `passwordpassword` is `password`, and no harder to guess. */
function repeatedUnits(text: string): readonly string[] {
  const units: string[] = [];
  for (let size = SHORTEST_WORD; size * 2 <= text.length; size += 1) {
    if (text.length % size !== 0) continue;
    const unit = text.slice(0, size);
    if (unit.repeat(text.length / size) === text) units.push(unit);
  }
  return units;
}
