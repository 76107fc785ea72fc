/** Keys whose values are secrets (SPEC 1). */

/** Never shown in a message. Each has a twin `<key>_file`, and `{SERVICE_X}` in it is replaced. */
export const SECRET_KEYS: readonly (readonly [section: string, key: string])[] = [
  ['proxy', 'auth_secret'],
  ['nvr', 'auth_secret'],
  ['store', 'url'],
  ['store', 'listen_url'],
  ['notify', 'webhook'],
  ['notify', 'webhook_secret'],
];
