/** Users, roles, tokens and sessions as the API lists them, read from whatever the answer holds (SPEC 4.3, 4.4). */
import { type Fields, isFields, numberOf, textOf, textsOf, timeOf } from '../shared/forms/fields.ts';

export interface UserRecord {
  readonly name: string;
  readonly role: string;
  readonly hasFactor: boolean;
  /** A guest. Unix seconds. */
  readonly validFrom: number | undefined;
  readonly validUntil: number | undefined;
  readonly lastLoginAt: number | undefined;
}

export interface RoleRecord {
  readonly role: string;
  readonly cameras: readonly string[];
  readonly source: 'builtin' | 'file' | 'store';
  readonly users: number;
  readonly deny: readonly string[];
  readonly hours: readonly string[];
  readonly historySince: string | undefined;
}

/** Times are Unix seconds. */
export interface TokenRecord {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  readonly role: string;
  /** Undefined: all of the role. */
  readonly cameras: readonly string[] | undefined;
  readonly managesAccounts: boolean;
  readonly createdAt: number | undefined;
  readonly expiresAt: number | undefined;
  readonly lastUsedAt: number | undefined;
  readonly lastUsedFrom: string | undefined;
}

export interface SessionRecord {
  readonly id: string;
  readonly user: string;
  readonly address: string;
  readonly agent: string;
  readonly since: number | undefined;
  readonly lastSeen: number | undefined;
  readonly isCurrent: boolean;
}

export interface InvitationRecord {
  readonly user: string;
  readonly madeBy: string;
  readonly createdAt: number | undefined;
  readonly expiresAt: number | undefined;
}

export interface AccountEvent {
  readonly id: string;
  readonly event: string;
  readonly at: number | undefined;
  readonly by: string | undefined;
  readonly address: string;
  readonly agent: string | undefined;
}

export const readInvitations = listOf((fields): InvitationRecord | undefined => {
  const user = textOf(fields['user']);
  return user === undefined
    ? undefined
    : {
        user,
        madeBy: textOf(fields['made_by']) ?? '',
        createdAt: timeOf(fields['created_at']),
        expiresAt: timeOf(fields['expires_at']),
      };
});

export const readAccountEvents = listOf((fields): AccountEvent | undefined => {
  const [id, event] = [textOf(fields['id']), textOf(fields['event'])];
  if (id === undefined || event === undefined) return undefined;
  const [by, agent] = [textOf(fields['by']), textOf(fields['agent'])];
  return { id, event, at: timeOf(fields['at']), by, address: textOf(fields['address']) ?? '', agent };
});

export const readUsers = listOf((fields): UserRecord | undefined => {
  const name = textOf(fields['username']);
  return name === undefined
    ? undefined
    : {
        name,
        role: textOf(fields['role']) ?? 'viewer',
        hasFactor: fields['second_factor'] === true,
        validFrom: timeOf(fields['valid_from']),
        validUntil: timeOf(fields['valid_until']),
        lastLoginAt: timeOf(fields['last_login_at']),
      };
});

export const readRoles = listOf((fields): RoleRecord | undefined => {
  const role = textOf(fields['role']);
  if (role === undefined) return undefined;
  const source = SOURCES.find((known) => known === fields['source']) ?? 'file';
  return {
    role,
    source,
    cameras: textsOf(fields['cameras']),
    users: numberOf(fields['users']) ?? 0,
    deny: textsOf(fields['deny']),
    hours: textsOf(fields['hours']),
    historySince: textOf(fields['history_since']),
  };
});

/** A source that is not known cannot be changed here either. */
const SOURCES = ['builtin', 'file', 'store'] as const;

export const readTokens = listOf((fields): TokenRecord | undefined => {
  const id = textOf(fields['id']);
  if (id === undefined) return undefined;
  return {
    id,
    name: textOf(fields['name']) ?? id,
    user: textOf(fields['user']) ?? '',
    role: textOf(fields['role']) ?? '',
    cameras: Array.isArray(fields['cameras']) ? textsOf(fields['cameras']) : undefined,
    managesAccounts: fields['manage_accounts'] === true,
    createdAt: timeOf(fields['created_at']),
    expiresAt: timeOf(fields['expires_at']),
    lastUsedAt: timeOf(fields['last_used_at']),
    lastUsedFrom: textOf(fields['last_used_from']),
  };
});

export const readSessions = listOf((fields): SessionRecord | undefined => {
  const id = textOf(fields['id']);
  if (id === undefined) return undefined;
  return {
    id,
    user: textOf(fields['user']) ?? '',
    address: textOf(fields['address']) ?? '',
    agent: textOf(fields['agent']) ?? '',
    since: timeOf(fields['since']),
    lastSeen: timeOf(fields['last_seen']),
    isCurrent: fields['current'] === true,
  };
});

function listOf<Kind>(read: (fields: Fields) => Kind | undefined): (body: unknown) => Kind[] {
  return (body) =>
    Array.isArray(body)
      ? body
          .filter(isFields)
          .map(read)
          .filter((found) => found !== undefined)
      : [];
}
