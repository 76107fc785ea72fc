/** Names in the settings: of users and roles as they are typed; and passwords to suggest (interface 2.1, 2.2). */
import { parseCustomRoleName, parseUserName } from '../../../domain/names.ts';
import { words } from '../shared/words.ts';

/** Each returns the problem as text, or undefined. */
export const userNameFault = (name: string): string | undefined =>
  parseUserName(name).ok ? undefined : words.users.nameUnfit;

export const roleNameFault = (name: string): string | undefined =>
  parseCustomRoleName(name).ok ? undefined : words.roles.nameUnfit;

/** The letters of a password, without the ones that look like another; 20 of 54 are 115 bits. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const SUGGESTED_LENGTH = 20;

export function suggestedPassword(): string {
  // Values beyond the last whole multiple are thrown away, so that no letter is likelier than another.
  const fair = 256 - (256 % LETTERS.length);
  let password = '';
  while (password.length < SUGGESTED_LENGTH) {
    const [value = fair] = crypto.getRandomValues(new Uint8Array(1));
    if (value < fair) password += LETTERS[value % LETTERS.length];
  }
  return password;
}
