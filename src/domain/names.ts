/** Names that decide: users, roles and cameras, told apart by the compiler (interface 2.1, 2.2). */
import { err, ok, type Result } from './result.ts';

declare const brand: unique symbol;
export type UserName = string & { readonly [brand]: 'UserName' };
export type Role = string & { readonly [brand]: 'Role' };
export type CameraName = string & { readonly [brand]: 'CameraName' };

export const ADMIN = 'admin' as Role;
export const VIEWER = 'viewer' as Role;
/** The role of an account to which its provider gives none: it is worth nothing. */
export const NO_ROLE = 'none' as Role;
/** The user name of every caller on the internal listener (interface 5.6). */
export const ANONYMOUS = 'anonymous' as UserName;

/** Interface 2.2: these cannot name a custom role. */
export const RESERVED_ROLE_NAMES: readonly string[] = [ADMIN, VIEWER, NO_ROLE];

const NAME = /^[A-Za-z0-9._]+$/;
const LONGEST_USER_NAME = 30;

/** A custom role's name (interface 2.2), or the sentence that says what is wrong with it. */
export function parseCustomRoleName(text: string): Result<Role, string> {
  if (!NAME.test(text)) return err(`"${text}" is not a role name: use letters, digits, dots and underscores`);
  if (RESERVED_ROLE_NAMES.includes(text)) return err(`"${text}" is a reserved role name: choose another`);
  return ok(text as Role);
}

/** A built-in account's login name (letters, digits, dots, underscores; 1 to 30), or what is wrong with it. */
export function parseUserName(text: string): Result<UserName, string> {
  if (!NAME.test(text)) return err('a user name has only letters, digits, dots and underscores');
  if (text.length > LONGEST_USER_NAME) return err(`a user name has at most ${LONGEST_USER_NAME} characters`);
  if (text === ANONYMOUS) return err('the user name "anonymous" is reserved: choose another');
  return ok(text as UserName);
}

/** No path can end in these: a browser takes them for steps. */
const STEPS: readonly string[] = ['.', '..'];

/** The name of an account that is to be made, beside the existing names; or what is wrong with it. */
export function parseNewUserName(text: string, existing: readonly string[]): Result<UserName, string> {
  const name = parseUserName(text);
  if (!name.ok) return name;
  if (STEPS.includes(text)) return err(`the user name "${text}" cannot stand in an address: choose another`);
  const alike = [ADMIN, ANONYMOUS, ...existing].find((other) => isTwin(other, text));
  return alike === undefined ? name : err(`it differs from the user name "${alike}" in case only: choose another`);
}

/** Whether a custom role that is to be made may have that name; undefined for yes, or what is wrong with it. */
export function newRoleFault(name: string, existing: readonly string[]): string | undefined {
  if (STEPS.includes(name)) return `"${name}" cannot stand in an address: choose another role name`;
  const alike = [...RESERVED_ROLE_NAMES, ...existing].find((other) => isTwin(other, name));
  return alike === undefined
    ? undefined
    : `"${name}" differs from the role name "${alike}" in case only: choose another`;
}

const isTwin = (one: string, other: string): boolean => one !== other && one.toLowerCase() === other.toLowerCase();

/** Whether a camera's name goes on where another one's ends: `front-door` after `front`. The NVR finds some pictures by the beginning of a name. */
export const goesOn = (camera: string, other: string): boolean =>
  other.startsWith(camera) && (other[camera.length] === '-' || other[camera.length] === '_');

/** `front and front-door`: a text for each such pair, for a warning. */
export const namesAlike = (cameras: readonly string[]): readonly string[] =>
  cameras.flatMap((camera) =>
    cameras.filter((other) => goesOn(camera, other)).map((other) => `${camera} and ${other}`),
  );
