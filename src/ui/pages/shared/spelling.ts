/** How names and times are written, on pages without the texts of the console too. */

/** The viewer's region of the page's language: an English page has no French weekday. */
export const localeFor = (language: string, wished: readonly string[]): string =>
  wished.find((tag) => tag === language || tag.startsWith(`${language}-`)) ?? language;

/** `front_door` is `front door`. An underscore at an end, or beside another, stays. */
export const spaced = (name: string): string => name.replaceAll(/(?<=[^_])_+(?=[^_])/g, ' ');

/** `1 h 10 min`; `1 h` without a rest. */
export const inUnits = (large: number, largeUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
