/** The languages that a person can choose, in their own words, whatever the language of the page. */
export const LANGUAGES = [
  ['en', 'English'],
  ['de', 'Deutsch'],
] as const;

export type LanguageTag = (typeof LANGUAGES)[number][0];
