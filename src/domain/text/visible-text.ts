/** Text from outside with its control characters escaped, so that a terminal shows them and does not obey them (SPEC 9). */

/**
 * Besides what JSON escapes itself (line breaks, ESC): C1 controls, for U+009B begins a command as ESC [ does; line
 * breaks of other readers; and what is unseen or turns the order of what is read.
 */
const OBEYED = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/u;
const ALL_OBEYED = new RegExp(OBEYED.source, 'gu');

/** `json` is JSON text, and stays JSON of the same value: an escape in it is read back as what it stands for. */
export const visibleJson = (json: string): string => (OBEYED.test(json) ? json.replace(ALL_OBEYED, escaped) : json);

const escaped = (character: string): string =>
  [...Array(character.length).keys()].map((at) => `\\u${hex(character.charCodeAt(at))}`).join('');

const hex = (unit: number): string => unit.toString(16).padStart(4, '0');
