/** Whether a text holds a word as a word of its own: no letter goes on at either end (SPEC 12). Pure. */

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
