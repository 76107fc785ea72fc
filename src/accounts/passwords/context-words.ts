/** Words that a guesser tries first at this place: the user's name, the service's names, the product's (SPEC 12). */
import { readAsLetters } from './common-passwords.ts';

const PRODUCT_NAMES = ['postern', 'frigate'];
/** Names of two letters stand in most sentences. */
const SHORTEST_NAME = 3;

/** The context word that a password holds, in any spelling; undefined for none. */
export function contextWordIn(
  password: string,
  { userName, hostNames }: { readonly userName: string; readonly hostNames: readonly string[] },
): string | undefined {
  const spellings = [password.toLowerCase(), readAsLetters(password)];
  const words = [...PRODUCT_NAMES, ...namesIn(userName, /[._]/), ...hostNames.flatMap(hostWords)];
  return words.find(
    (word) =>
      [...word].length >= SHORTEST_NAME &&
      spellings.some((text) => text.includes(word.toLowerCase()) || text.includes(readAsLetters(word))),
  );
}

/** `vera.smith` is guessed whole and by its parts. */
const namesIn = (name: string, separator: RegExp): readonly string[] => [name, ...name.split(separator)];

/**
 * The words of a host name: the whole of `nvr.example.com` and the machine's own name. The rest of it is the provider's or the
 * country's.
 */
const hostWords = (host: string): readonly string[] => [host, host.split('.')[0] ?? ''];
