/** Keys whose values are secrets (SPEC 1). */

/** Never shown in a message. Each has a twin `<key>_file`, and `{SERVICE_X}` in it is replaced. `*` is each entry of a list. */
export const SECRET_KEYS: readonly (readonly string[])[] = [
  ['proxy', 'auth_secret'],
  ['nvr', 'auth_secret'],
  ['store', 'url'],
  ['store', 'listen_url'],
  ['notify', 'webhook'],
  ['notify', 'webhook_secret'],
  ['auth', 'oidc', '*', 'client_secret'],
];

/** The key beside a secret that names a file with it. */
export const twinOf = (key: string): string => `${key}_file`;

/** Whether a path is that of a secret, or of an entry of one that is a list. */
export const isSecretKey = (path: readonly PropertyKey[]): boolean =>
  SECRET_KEYS.some((key) => key.every((step, at) => (step === '*' ? at in path : step === path[at])));
