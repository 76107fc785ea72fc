/** How strong a password looks, from its letters alone: the list of common passwords is the server's (SPEC 12). */
import { hasWord } from '../../../domain/text.ts';

export type Strength = 'short' | 'own-name' | 'repeated' | 'weak' | 'fair' | 'strong';

const PRODUCT_NAMES = ['postern', 'frigate'];
const SHORTEST_NAME = 3;
/** Parts of names count as words of their own, as on the server. */
const SHORTEST_PART = 4;
const KINDS = [/\p{Ll}/u, /\p{Lu}/u, /\d/, /[^\p{L}\d]/u];
/** A text that is one to three letters again and again: `abcabc…`. */
const REPEATED = /^(.{1,3})\1+$/su;
/** Different characters: a long text has few of them for its length, however good it is. */
const FEW = 8;
const FAIR_LENGTH = 14;
const STRONG_LENGTH = 18;

/** `userName`: '' while it is not known. `shortest` in characters. */
export function judgeStrength(password: string, userName: string, shortest: number): Strength {
  const text = password.toLowerCase();
  const characters = [...text];
  if (characters.length < shortest) return 'short';
  const names = [...PRODUCT_NAMES, userName.toLowerCase()];
  const parts = userName.toLowerCase().split(/[._]/);
  const hasName = names.some((name) => name.length >= SHORTEST_NAME && text.includes(name));
  if (hasName || parts.some((part) => part.length >= SHORTEST_PART && hasWord(password, part, text))) return 'own-name';
  if (REPEATED.test(text)) return 'repeated';
  if (new Set(characters).size < FEW) return 'weak';
  // Length counts for more than kinds of characters: a long sentence is strong.
  const worth = characters.length + KINDS.filter((kind) => kind.test(password)).length - 1;
  if (worth >= STRONG_LENGTH) return 'strong';
  return worth >= FAIR_LENGTH ? 'fair' : 'weak';
}

/** The server would refuse it. */
export const isUnfit = (strength: Strength): strength is 'short' | 'own-name' | 'repeated' =>
  strength === 'short' || strength === 'own-name' || strength === 'repeated';

/** Letters that need no Shift, without the ones that look like another: 32, so that none is likelier. 20 of them are 100 bits. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
const SUGGESTED_LENGTH = 20;

export const suggestedPassword = (): string =>
  [...crypto.getRandomValues(new Uint8Array(SUGGESTED_LENGTH))].map((value) => LETTERS[value % 32]).join('');
