/** Rules for new user names and role names, checked before the request, and passwords to suggest (interface 2.1, 2.2). */
import { words } from '../shared/words.ts';

/** A blank becomes an underscore while it is typed: no name may have one. */
export const plainName = (typed: string): string => typed.replaceAll(' ', '_');

const NAME = /^[A-Za-z0-9._]+$/;
const LONGEST_USER_NAME = 30;
const RESERVED_ROLES = ['admin', 'viewer', 'none'];

/** Each returns the problem as text, or undefined. */
export const userNameFault = (name: string): string | undefined =>
  NAME.test(name) && name.length <= LONGEST_USER_NAME ? undefined : words.users.nameUnfit;

export const roleNameFault = (name: string): string | undefined =>
  NAME.test(name) && !RESERVED_ROLES.includes(name) ? undefined : words.roles.nameUnfit;

/** The letters of a password, without those that are taken for one another; 20 of 54 are 115 bits. */
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
