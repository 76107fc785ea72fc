/** The languages that a person can choose, in their own words, whatever the language of the page. */
export const LANGUAGES = [
  ['en', 'English'],
  ['de', 'Deutsch'],
  ['es', 'Español'],
  ['fr', 'Français'],
  ['it', 'Italiano'],
  ['nl', 'Nederlands'],
  ['pl', 'Polski'],
  ['pt', 'Português (Brasil)'],
] as const;

export type LanguageTag = (typeof LANGUAGES)[number][0];
