/** The viewer's region of the page's language: an English page has no French weekday. */
export const localeFor = (language: string, wished: readonly string[]): string =>
  wished.find((tag) => tag === language || tag.startsWith(`${language}-`)) ?? language;

/** A moment as `formatMoment` writes it, without the words of the whole console, which that would bring along. Unix seconds. */
export const momentText = (
  time: number | undefined,
  language: string,
  wished: readonly string[],
): string | undefined =>
  time === undefined
    ? undefined
    : new Intl.DateTimeFormat(localeFor(language, wished), { dateStyle: 'long', timeStyle: 'long' }).format(
        time * 1000,
      );

/** `front_door` is `front door`. An underscore at an end, or beside another, stays. */
export const spaced = (name: string): string => name.replaceAll(/(?<=[^_])_+(?=[^_])/g, ' ');
