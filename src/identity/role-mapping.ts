/** Which role the value of the role header gives, and by which rule (interface 5.5.6). Pure. */
import type { Settings } from '../config/schema/schema.ts';
import { ADMIN, type Role, VIEWER } from '../domain/names.ts';
import { decodedText, withoutBlanks } from './identity-header.ts';

/** The keys of `proxy` that say what its headers hold. */
export type RoleMapping = Pick<Settings['proxy'], 'separator' | 'header_map' | 'role_map' | 'default_role'>;

/** Which roles the groups of a user give, wherever the groups come from. An empty map of a proxy: the header holds role names. */
type GroupRoles = Pick<RoleMapping, 'role_map' | 'default_role'>;

/** A role, and by what it was found. */
export type RoleMatch = { readonly role: Role } & (
  | { readonly by: 'role_map' | 'role-name'; readonly group: string }
  | { readonly by: 'default_role' }
);

export type RoleVerdict =
  | {
      readonly kind: 'role';
      /** All roles that the groups give, in order; admin and viewer stand alone. */
      readonly matches: readonly [RoleMatch, ...RoleMatch[]];
      readonly groups: readonly string[];
    }
  | {
      readonly kind: 'denied';
      readonly because: 'default-none' | 'default-unknown' | 'header-unusable' | 'group-not-decoded';
      readonly groups: readonly string[];
    };

/** `value` is undefined when there is no role header; `custom` are the configured custom roles, in their order. */
export function resolveRole(value: string | undefined, mapping: RoleMapping, custom: Iterable<Role>): RoleVerdict {
  const groups = splitGroups(value ?? '', mapping.separator);
  const decoded = groups
    .map((group) => decodedText(group, mapping.header_map.encoding))
    .filter((group) => group !== undefined);
  // One that cannot be read must not become the default role.
  if (decoded.length < groups.length) return { kind: 'denied', because: 'group-not-decoded', groups };
  return resolveGroups(decoded, mapping, custom);
}

/** Resolves groups of a proxy: without a map they are names of roles. */
export const resolveGroups = (groups: readonly string[], mapping: GroupRoles, custom: Iterable<Role>): RoleVerdict =>
  resolveBy(mapping.role_map.size > 0 ? matchGroups : matchNames, groups, mapping, custom);

/** Resolves groups of a provider (SPEC 16): one is never taken for a role, with a map or without one. */
export const resolveMapped = (groups: readonly string[], mapping: GroupRoles, custom: Iterable<Role>): RoleVerdict =>
  resolveBy(matchGroups, groups, mapping, custom);

function resolveBy(
  match: typeof matchGroups | typeof matchNames,
  groups: readonly string[],
  { role_map: roleMap, default_role: defaultRole }: GroupRoles,
  custom: Iterable<Role>,
): RoleVerdict {
  const configured: readonly Role[] = [ADMIN, VIEWER, ...custom];
  const [first, ...others] = withoutLesser(match(groups, configured, roleMap));
  return first
    ? { kind: 'role', matches: [first, ...others], groups }
    : defaultVerdict(defaultRole, configured, groups);
}

/** The sentence about the rule, for the log and for `explain`. */
export function ruleSentence(verdict: RoleVerdict): string {
  if (verdict.kind === 'denied') return DENIALS[verdict.because];
  return verdict.matches.map(matchSentence).join('; ');
}

function matchSentence(match: RoleMatch): string {
  switch (match.by) {
    case 'role_map':
      return `the group "${match.group}" gives ${match.role} by proxy.role_map`;
    case 'role-name':
      return `"${match.group}" in the role header is the role ${match.role}`;
    case 'default_role':
      return `no value of the role header gives a role, so proxy.default_role gives ${match.role}`;
  }
}

const DENIALS = {
  'default-none': 'no value of the role header gives a role, and proxy.default_role is none',
  'default-unknown': 'no value of the role header gives a role, and proxy.default_role is not a configured one',
  'header-unusable': 'the role header is sent more than once or holds control characters',
  'group-not-decoded': 'a group of the role header is not encoded as proxy.header_map.encoding says',
} as const;

const splitGroups = (value: string, separator: string): readonly string[] =>
  value
    .split(separator)
    .map(withoutBlanks)
    .filter((group) => group !== '');

/** Admin has everything, and viewer every camera: beside them no custom role adds anything. */
function withoutLesser(matches: readonly RoleMatch[]): readonly RoleMatch[] {
  const builtIn = [ADMIN, VIEWER].map((role) => matches.find((match) => match.role === role)).find(Boolean);
  return builtIn ? [builtIn] : matches;
}

/** The roles of the groups, in the order of the map. Group names are compared as they are. */
function matchGroups(
  groups: readonly string[],
  configured: readonly Role[],
  roleMap: RoleMapping['role_map'],
): readonly RoleMatch[] {
  const held = new Set(groups);
  return [...roleMap.keys()].flatMap((role) => {
    const group = configured.includes(role) ? roleMap.get(role)?.find((name) => held.has(name)) : undefined;
    return group === undefined ? [] : [{ role, by: 'role_map', group } as const];
  });
}

/** Admin first, then viewer, then the order of `auth.roles`; without case. */
function matchNames(groups: readonly string[], configured: readonly Role[]): readonly RoleMatch[] {
  const held = new Map(groups.toReversed().map((group) => [asciiLower(group), group]));
  return configured.flatMap((role) => {
    const group = held.get(asciiLower(role));
    return group === undefined ? [] : [{ role, by: 'role-name', group } as const];
  });
}

function defaultVerdict(role: Role | 'none', configured: readonly Role[], groups: readonly string[]): RoleVerdict {
  if (role === 'none') return { kind: 'denied', because: 'default-none', groups };
  const known = configured.find((name) => name === role);
  return known
    ? { kind: 'role', matches: [{ role: known, by: 'default_role' }], groups }
    : { kind: 'denied', because: 'default-unknown', groups };
}

/** Not `toLowerCase()`, which makes a plain `k` of the Kelvin sign. */
const asciiLower = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
