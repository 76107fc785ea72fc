/** Names that people give to tokens, links and screens: one line of plain text. Pure. */

export const LONGEST_PLAIN_NAME = 100;

/** Well-formed, without control characters. */
export const isPlainText = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text);

/** The name without blanks around it; undefined for what is none. */
export function plainName(given: unknown): string | undefined {
  const text = typeof given === 'string' ? given.trim() : '';
  return text !== '' && text.length <= LONGEST_PLAIN_NAME && isPlainText(text) ? text : undefined;
}
