/** Days of the week as a language calls them, by Intl: for hours that are typed, clicked and shown (SPEC 13). */
import { locale, words } from '../../shared/words.ts';

/** Monday first. */
export interface DayNames {
  /** `Mon` */
  readonly short: readonly string[];
  /** `Monday` */
  readonly long: readonly string[];
  /** All days: `daily` */
  readonly daily: string;
}

/** `language`: BCP 47; undefined is the browser's. `daily` has no name in Intl. */
export function dayNamesIn(language: string | undefined, daily: string): DayNames {
  // The fifth of January 1970 was a Monday.
  const named = (weekday: 'short' | 'long'): readonly string[] => {
    const format = new Intl.DateTimeFormat(language, { weekday, timeZone: 'UTC' });
    return Array.from({ length: 7 }, (_, day) => format.format(Date.UTC(1970, 0, 5 + day)));
  };
  return { short: named('short'), long: named('long'), daily };
}

/** The names in the language of the page. */
export const dayNames = (): DayNames => dayNamesIn(locale, words.roles.daily);
