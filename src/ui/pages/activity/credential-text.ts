/**
 * The credential by which something was done, in words: an API token, a link or a screen by its name, a session by its number (SPEC 14).
 */
import { isFields, textOf } from '../shared/forms/fields.ts';
import { words } from '../shared/words.ts';

/** Names by what the ledger calls a credential: `token:<id>`, `link:<id>`, `screen:<id>`. */
export type CredentialNames = ReadonlyMap<string, string>;

export const readNames =
  (kind: 'token' | 'link' | 'screen') =>
  (body: unknown): CredentialNames =>
    new Map(
      (Array.isArray(body) ? body : []).filter(isFields).flatMap((one) => {
        const [id, name] = [textOf(one['id']), textOf(one['name'])];
        return id === undefined || name === undefined || name === '' ? [] : [[`${kind}:${id}`, name]];
      }),
    );

/** The number of letters of an id that tell two apart. */
const SHOWN_LETTERS = 8;

export function credentialText(credential: string, names: CredentialNames): string {
  const [kind = '', id = ''] = credential.split(':', 2);
  const kinds: Readonly<Record<string, string>> = words.ledger.credentials;
  const name = names.get(credential);
  const what = kinds[kind] ?? kind;
  if (kind === 'oidc') return `${what} ${id}`;
  return name === undefined ? `${what} ${id.slice(0, SHOWN_LETTERS)}`.trim() : words.ledger.named({ what, name });
}
