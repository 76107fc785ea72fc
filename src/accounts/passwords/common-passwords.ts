/** Whether a password is among the commonest, or is one of them in another spelling (SPEC 12). */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

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
export const readAsLetters = (text: string): string =>
  text.toLowerCase().replace(/[01!34@5$7]/g, (sign) => LETTER_FOR[sign] ?? sign);

/**
 * The file is read for each check and kept nowhere: passwords are set seldom, and 49,000 texts in memory are 20 MB.
 * Rejects when it cannot be read: a password that could not be checked is not set.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  if (SHORT_UNIT.test(password.toLowerCase())) return true;
  const list = await readFile(fileURLToPath(import.meta.resolve(LIST)), 'utf8');
  return spellingsOf(password).some((spelling) => list.includes(JSON.stringify(spelling)));
}

/** The texts that a guesser would have to have in the list to come to this password at once. */
export function spellingsOf(password: string): readonly string[] {
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
