/** Text from outside as it may be logged and kept: what looks like a secret of Postern is left out, wherever it stands and however it is written. */

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
