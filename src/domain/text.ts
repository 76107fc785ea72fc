/** Text from outside as it may be logged, kept and shown: without secrets of Postern, without control characters. */
import { attempt } from './result.ts';

const HIDDEN = '…';

/** The secret in an address: the token of an invitation and the secret of a link are what follows their path. */
const BEHIND_PATH = /(?<=[/\\](?:invitation|s)[/\\]+)[^/\\]+/gi;

/** API tokens and session tokens. */
export const TOKEN = /pst_[\w-]{8,}|eyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g;

/**
 * 256 bits as base64url, for nothing that the NVR names looks like it: 43 characters alone in a segment, or anywhere between
 * others; some more where a program lost the slash before it. Then API tokens and session tokens.
 */
const CONTENT = [
  /(?<=\/)[\w-]{43}(?![\w-])[^/]*/g,
  /(?<![\w-])[\w-]{43}(?![\w-])/g,
  /(?<![\w-])(?=[\w-]*[A-Z])(?=[\w-]*[a-z])(?=[\w-]*\d)[\w-]{43,47}(?![\w-])/g,
  TOKEN,
];

/** A character that a secret or its path is made of. */
const ESCAPE = /%(?<code>[2-7][0-9a-f])/gi;
const PLAIN = /[\w./\\-]/;
/** `%252f` is read twice by two servers in a row. */
const ROUNDS = 3;

/** Most texts have nothing of it. */
const SUSPECT = /[\w-]{43}|pst_|eyJ|%|[/\\](?:invitation|s)[/\\]/i;

/** The text as it is; in place of a secret stands `…`. Where only the decoded text shows a secret, that is given. */
export function maskSecrets(text: string): string {
  if (!SUSPECT.test(text)) return text;
  const hidden = hide(text);
  if (!text.includes('%')) return hidden;
  const plain = decoded(text);
  const found = hide(plain);
  return found === plain ? hidden : found;
}

const hide = (text: string): string =>
  CONTENT.reduce((rest, secret) => rest.replace(secret, HIDDEN), text.replace(BEHIND_PATH, HIDDEN));

function decoded(text: string): string {
  let plain = text;
  for (let round = 0; round < ROUNDS && plain.includes('%'); round++)
    plain = plain.replaceAll(/%25/g, '%').replace(ESCAPE, (written, code: string) => {
      const character = String.fromCharCode(Number.parseInt(code, 16));
      return PLAIN.test(character) ? character : written;
    });
  return plain;
}

/** The most characters of a name that a person gives to a token, a link or a screen. */
export const LONGEST_PLAIN_NAME = 100;

/** The members between commas, trimmed; empty ones are dropped. */
export const splitCommas = (text: string): string[] =>
  text
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '');

/** Undefined of what is no UTF-8. A byte order mark stays: it is a character. */
export const utf8 = (bytes: Uint8Array): string | undefined =>
  attempt(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));

/** Well-formed, without control characters. */
export const isPlainText = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text);

/** Such a name, one line of plain text, without blanks around it; undefined for any other value. */
export function plainName(given: unknown): string | undefined {
  const text = typeof given === 'string' ? given.trim() : '';
  return text !== '' && text.length <= LONGEST_PLAIN_NAME && isPlainText(text) ? text : undefined;
}

/**
 * Besides what JSON escapes itself (line breaks, ESC): C1 controls, for U+009B begins a command as ESC [ does; line
 * breaks of other readers; and what is unseen or turns the order of what is read.
 */
const OBEYED = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/u;
const ALL_OBEYED = new RegExp(OBEYED.source, 'gu');

/** `json` is JSON text, and stays JSON of the same value: an escape in it is read back as what it stands for. */
export const visibleJson = (json: string): string => (OBEYED.test(json) ? json.replace(ALL_OBEYED, escaped) : json);

const escaped = (character: string): string =>
  [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');

/** A text from elsewhere, such as a header, may hold what moves a terminal's cursor. */
export const printable = (line: string): string =>
  line.replaceAll(/\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** `spelled`: the text as it is compared, letter by letter; its capitals, which begin words, stand in `text`. */
export function hasWord(text: string, word: string, spelled: string): boolean {
  if (word === '') return false;
  for (let at = spelled.indexOf(word); at >= 0; at = spelled.indexOf(word, at + 1))
    if (isBorder(text, at) && isBorder(text, at + word.length)) return true;
  return false;
}

const isBorder = (text: string, at: number): boolean => !GOES_ON.test(text.slice(Math.max(0, at - 1), at + 1));

/** Two letters, but not `aB`. */
const GOES_ON = /^(?!\p{Ll}\p{Lu})\p{L}\p{L}$/u;
