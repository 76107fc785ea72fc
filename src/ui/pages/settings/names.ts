/** Names in the settings: of users and roles as they are typed, and of groups of cameras; and passwords to suggest (interface 2.1, 2.2). */
import { maySee, toScope } from '../../../domain/camera-scope.ts';
import { parseCustomRoleName, parseUserName } from '../../../domain/names.ts';
import { words } from '../shared/words.ts';

/** A blank becomes an underscore while it is typed: no name may have one. */
export const plainName = (typed: string): string => typed.replaceAll(' ', '_');

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

export type CameraGroup = { readonly name: string; readonly cameras: readonly string[] };

const SEPARATOR = /[_\-. ]/;
const FEWEST = 2;

/** The groups in the order of the cameras; without a group of all cameras, which "all" is for. */
export function groupCameras(cameras: readonly string[]): readonly CameraGroup[] {
  const groups = new Map<string, string[]>();
  for (const camera of cameras) {
    const prefix = camera.slice(0, Math.max(0, camera.search(SEPARATOR)));
    if (prefix !== '') groups.set(prefix, [...(groups.get(prefix) ?? []), camera]);
  }
  return [...groups]
    .filter(([, members]) => members.length >= FEWEST && members.length < cameras.length)
    .map(([prefix, members]) => ({ name: prefix, cameras: members }));
}

/** Which cameras the entries of a role mean: their own names, or every name that a pattern with `*` fits (SPEC 4.3). */
export const matchCameras = (entries: readonly string[], known: readonly string[]): readonly string[] =>
  known.filter((camera) => maySee(toScope(entries), camera));
