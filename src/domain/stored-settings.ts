/** Settings of the house: keys that the page Security keeps in the store, behind flag, environment and file (SPEC 8). */

/** The name of each in the API, and its key. */
export const STORED_KEYS = {
  second_factor: 'auth.second_factor',
  timezone: 'auth.timezone',
  public_url: 'server.public_url',
} as const;
export type SettingName = keyof typeof STORED_KEYS;
export const SETTING_NAMES = Object.keys(STORED_KEYS) as readonly SettingName[];

/** Values as in the file, by key. */
export type StoredSettings = Readonly<Partial<Record<StoredKey, string>>>;
export type StoredKey = (typeof STORED_KEYS)[SettingName];
