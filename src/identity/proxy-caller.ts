/** The caller that an authentication proxy names, by plain headers or by a signed token: its name and its roles (interface 5.5.6). */

import type { IdentityVerdict } from '../domain/caller.ts';
import { ANONYMOUS, type UserName } from '../domain/names.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { type ActiveRoles, rightsOfRoles } from '../domain/rights.ts';
import type { RoleVerdict } from './role-mapping.ts';

const LONGEST_USER_NAME = 128;
/**
 * Invisible characters, and blanks at either end, make two names look alike. Separators make two names of one for a server
 * behind. `%` would make a literal `j%C3%B6rg` the same as jörg, whose name is sent percent-encoded.
 */
const NOT_IN_USER_NAMES = /^\s|[\p{C}\p{Zl}\p{Zp},;|:"<>%]|\s$/u;

/** Errs with why the text names no user. */
export function proxyUserName(name: string): Result<UserName, string> {
  if ([...name].length > LONGEST_USER_NAME) return err(`longer than ${LONGEST_USER_NAME} characters`);
  if (NOT_IN_USER_NAMES.test(name)) return err('holds a character that no user name may hold');
  // For the NVR this name means a caller who is not logged in.
  if (name.toLowerCase() === ANONYMOUS) return err('a reserved name');
  return ok(name as UserName);
}

/** `now` and `expiresAt` in Unix seconds: roles have hours, and a signed token has an end. */
export function proxyVerdict(
  user: Result<UserName, string>,
  role: RoleVerdict,
  active: ActiveRoles,
  now: number,
  expiresAt?: number,
): IdentityVerdict {
  if (!user.ok) return { kind: 'refused', reason: 'proxy-user-missing' };
  if (role.kind === 'denied') return { kind: 'refused', reason: 'proxy-role-denied' };
  const roles = role.matches.map((match) => match.role);
  const rights = rightsOfRoles(roles, active, now);
  const credential = { kind: 'proxy-headers', ...(expiresAt !== undefined && { expiresAt }) } as const;
  return {
    kind: 'identified',
    caller: { name: user.value, ...rights, credential, ...(roles.length > 1 && { roles }) },
  };
}
