/** What the accounts tell the audit log: who did what to whom, from where, and with what outcome (SPEC 9). */
import { parseUserName } from '../domain/names.ts';

export const AUDITED = ['login', 'logout', 'user-created', 'user-deleted', 'password-changed', 'role-changed'] as const;

export interface AuditEntry {
  readonly what: (typeof AUDITED)[number];
  /** Who did it; undefined when nobody is known. */
  readonly who: string | undefined;
  /** The client's address. */
  readonly from: string;
  readonly verdict: 'allowed' | 'refused';
  readonly reason?: string;
  /** The user it was done to, when that is somebody else's account. */
  readonly user?: string;
  readonly requestId: string;
}

export type Audit = (entry: AuditEntry) => void;

/** The name that was tried, for the log. What is no user name may be a password, typed into the wrong field. */
export const triedName = (name: string): string | undefined => (parseUserName(name).ok ? name : undefined);
